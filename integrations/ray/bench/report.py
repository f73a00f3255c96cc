# SPDX-License-Identifier: Apache-2.0
"""The lines of JSON that the parts print, as Markdown."""
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench"))
from lib.results import percentile  # noqa: E402
from lib.tables import header, number, row  # noqa: E402

NAMES = {
    "event": "an interprocess event, nothing else",
    "gpustream": "gpustream-ray",
    "device": "gpustream-ray after a device synchronise",
    "host": "host staging, by a pipe",
    "ray_device": "gpustream-ray after a device synchronise",
    "ray_host": "host staging, by Ray's object store",
    "cuda_ipc": "Ray's CUDA IPC transport (no copy)",
    "gpustream, synchronised": "gpustream-ray, device synchronises",
    "cuda_ipc, synchronised": "Ray's CUDA IPC transport, device synchronises",
}


def size_of(count):
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"


def reasons(lines):
    found = [f"- {line['part']}, {NAMES[line['way']]}: {line['error']}" for line in lines if line["error"]]
    return ["", "Not measured:", "", *dict.fromkeys(found)] if found else []


def lateness(lines):
    """How late the destination's stream went on, beside an event's of the same size in the same run."""
    table = header(["hand-over", "by", "size", "times", "median, us", "90 %", "most", "of the event's", "synchronises, source", "destination"],
                   left=3)
    events = {line["size"]: statistics.median(line["us"]) for line in lines if line["way"] == "event" and line["us"]}
    for line in lines:
        us = line["us"]
        if not us:
            continue
        middle, event = statistics.median(us), events.get(line["size"])
        waits = [f"{line['synchronizes'][side] / line['turns']:.3g}" for side in ("source", "destination")]
        table.append(row([NAMES[line["way"]], "Ray" if line["part"] == "by Ray" else "two processes", size_of(line["size"]), str(len(us)),
                          number(middle), number(percentile(us, 0.9)), number(us[-1]), f"{middle / event:.2f}" if event else "–", *waits]))
    return [*table, *reasons(lines)]


def rates(lines):
    """Messages per second, and how many times those of the same transport with synchronises."""
    table = header(["work of a stage, ms", "measured", "by", "messages/s", "least", "most", "of synchronised"], left=3)
    medians = {(line["ms"], line["way"]): statistics.median(line["rates"]) for line in lines if line["rates"]}
    for line in sorted(lines, key=lambda line: line["ms"]):
        if not line["rates"]:
            continue
        middle = medians[line["ms"], line["way"]]
        beside = medians.get((line["ms"], line["way"] + ", synchronised"))
        table.append(row([f"{line['ms']:g}", " and ".join(f"{ms:.2f}" for ms in line["took"]), NAMES[line["way"]], number(middle),
                          number(line["rates"][0]), number(line["rates"][-1]), f"{middle / beside:.2f}" if beside else "–"]))
    return [*table, *reasons(lines)]


def faults(lines):
    """What must not be, as text."""
    found = []
    for line in lines:
        name = f"{line['part']}, {NAMES[line['way']]}"
        if line["wrong"]:
            found.append(f"{name}: {line['wrong']} wrong")
        if line.get("went_early"):
            found.append(f"{name}: the stream did not wait {line['went_early']} times")
        if line["way"] == "gpustream" and line["part"] != "pipeline" and any(line["synchronizes"].values()):
            found.append(f"{name}: synchronises {line['synchronizes']}")
    return found
