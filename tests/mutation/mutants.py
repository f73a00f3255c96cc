# SPDX-License-Identifier: Apache-2.0
"""All mutants of some files, and samples of them that stay the same when other code changes."""
import hashlib
from dataclasses import dataclass

from operators import OPERATORS
from sources import code_of


@dataclass(frozen=True)
class Mutant:
    id: str  # of file, operator, the line's text and its place among equal lines: not of the line's number
    file: str
    line: int
    operator: str
    before: str  # the line
    after: str
    start: int
    end: int
    replacement: str

    def applied(self, text):
        # As many lines as before, so that __LINE__ and messages stay the same.
        breaks = text.count("\n", self.start, self.end) - self.replacement.count("\n")
        return text[: self.start] + self.replacement + "\n" * breaks + text[self.end :]


def mutants_of(file, text):
    code = code_of(text)
    found, seen, places = [], set(), {}
    for operator in OPERATORS:
        for start, end, replacement in operator(code):
            if (start, end, replacement) in seen:
                continue
            seen.add((start, end, replacement))
            if replacement.startswith("!("):  # with the strings that are blank in the code
                replacement = "!(" + text[start:end] + ")"
            first = text.rfind("\n", 0, start) + 1
            last = text.find("\n", end)
            before = " ".join(text[first:last].split())
            after = " ".join((text[first:start] + replacement + text[end:last]).split())
            key = (operator.__name__, before, after)
            places[key] = places.get(key, 0) + 1
            digest = hashlib.sha256("\0".join((file, *key, str(places[key]))).encode()).hexdigest()
            found.append(Mutant(digest[:10], file, text.count("\n", 0, start) + 1, operator.__name__, before, after,
                                start, end, replacement))
    return found


def all_mutants(root, folders):
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            found += mutants_of(str(path.relative_to(root)), path.read_text())
    return found


def sampled(mutants, seed):
    """In the order of a hash: the first N are a sample of N, and a longer sample contains the shorter one."""
    return sorted(mutants, key=lambda mutant: hashlib.sha256(f"{seed} {mutant.id}".encode()).digest())
