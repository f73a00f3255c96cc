# SPDX-License-Identifier: Apache-2.0
"""Results of mutants: reading them, and the summary."""
import json
import os
from collections import Counter


def read(path):
    """id -> the last result"""
    if not path.exists():
        return {}
    return {entry["id"]: entry for entry in map(json.loads, path.read_text().splitlines())}


EQUIVALENT = "equivalent"  # does what the original does, if not as fast: no test can tell them apart
OUT_OF_REACH = "out of reach"  # differs, but only where no test of these families comes: counts as survived


def explanations(path):
    """id -> the entry with its class and reason"""
    entries = json.loads(path.read_text()) if path.exists() else []
    return {entry["id"]: entry for entry in entries}


def wrong_explanations(path, mutants):
    """One line per entry that has no reason, or whose mutant is gone."""
    by_id = {mutant.id: mutant for mutant in mutants}
    wrong = []
    for entry in json.loads(path.read_text()):
        mutant = by_id.get(entry["id"])
        if not mutant or (mutant.file, mutant.before, mutant.after) != (entry["file"], entry["before"], entry["after"]):
            wrong.append(f"{entry['id']} {entry['file']}: there is no such mutant: {entry['after']}")
        elif entry.get("class") not in (EQUIVALENT, OUT_OF_REACH):
            wrong.append(f"{entry['id']} {entry['file']}: its class is neither '{EQUIVALENT}' nor '{OUT_OF_REACH}'")
        elif len(entry.get("reason", "").split()) < 4:
            wrong.append(f"{entry['id']} {entry['file']}: no reason")
    return wrong


def changed(before, after):
    """The line with its change in brackets."""
    first = len(os.path.commonprefix([before, after]))
    last = min(len(os.path.commonprefix([before[::-1], after[::-1]])), len(before) - first, len(after) - first)
    return f"{before[:first]}[{before[first:len(before) - last]} => {after[first:len(after) - last]}]{before[len(before) - last:]}"


def line(result):
    return f"{result['id']} {result['file']}:{result['line']} {result['operator']}: {changed(result['before'], result['after'])}"


def text(results, chosen, explained_path, bound):
    """The summary, and whether enough mutants were killed and the others are explained."""
    explained = explanations(explained_path)
    ran = [results[mutant.id] for mutant in chosen if mutant.id in results]
    counts = Counter()
    lines = []
    for result in ran:
        outcome = result["outcome"]
        if outcome in ("survived", "explained"):  # one that was not run is a survivor, if its reason is no longer there
            outcome = explained.get(result["id"], {"class": "survived"})["class"]
        counts[outcome] += 1
        if outcome == "survived":
            lines.append(line(result))
    judged = counts["killed"] + counts["survived"] + counts[OUT_OF_REACH]
    share = 100 * counts["killed"] / judged if judged else 0
    lines += ["", f"{len(ran)} mutants of {len(chosen)}: {counts['killed']} killed, {counts['survived']} survived, "
              f"{counts[OUT_OF_REACH]} out of reach, {counts[EQUIVALENT]} equivalent, {counts['same code']} equal as machine code, "
              f"{counts['invalid']} not programs",
              f"killed: {share:.1f} % of those that differ (at least {bound:g} %), {counts['survived']} survivors without an explanation"]
    return "\n".join(lines), judged > 0 and share >= bound and counts["survived"] == 0
