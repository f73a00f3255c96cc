#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares gs_parse_visible_devices with a second implementation on random texts.

   visible_devices_oracle.py LIBRARY [--rounds N] [--seed N]
   visible_devices_oracle.py --wrong      every wrong parser below must be found out

The seed is printed; the same seed makes the same texts.
"""
import argparse
import ctypes
import random
import re
import sys

PIECES = ["0", "1", "2", "3", "10", "007", "-1", "-0", "+1", "+", "-", "--1", "1gpu2", "2ampere", "x", "", " ", " 1", "1 ", "\t2\n",
          "1 2", "0x1", "1.5", "99999999999999999999", "18446744073709551616", "GPU-", "GPU-a", "GPU-ab", "GPU-b", " GPU-a",
          "gpu-a", "MIG-", "MIG-a", "MIG-b", "MIG-GPU-a/1/0", "GPU-a ", "\x1c5", "\u00e9", "\x7f"]


def numbers(text):
    """The integers of a list: leading digits count, other characters behind them are dropped."""
    found = []
    for element in text.split(","):
        match = re.match(r"[+-]?[0-9]+", element.strip(" \t\n\v\f\r\x1c\x1d\x1e\x1f"))
        number = int(match.group()) if match else -1
        if number in found:
            return []
        if number < 0:
            break
        found.append(number)
    return [str(number) for number in found]


def names(text, prefix):
    found = []
    for element in text.split(","):
        if element in found:
            return []
        if not element.startswith(prefix):
            break
        found.append(element)
    return found


def parse(text):
    if text is None:
        return [str(number) for number in range(64)]
    for prefix in ("GPU-", "MIG-"):
        if text.startswith(prefix):
            return names(text, prefix)
    return numbers(text)


class Library:
    def __init__(self, path):
        library = ctypes.CDLL(path)
        self._parse = library.gs_parse_visible_devices
        self._parse.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]

    def parse(self, text):
        out = ctypes.c_char_p()
        status = self._parse(None if text is None else text.encode("utf-8"), ctypes.byref(out))
        if status != 0:
            raise AssertionError(f"gs_parse_visible_devices({text!r}) returned {status}")
        found = out.value.decode("utf-8")
        return found.split(",") if found else []


def random_text(chance):
    if chance.random() < 0.2:
        return "".join(chance.choice(" \t,-+0123456789GPUMIGx\u00e9") for _ in range(chance.randrange(12)))
    return ",".join(chance.choice(PIECES) for _ in range(chance.randrange(6)))


def compare(subject, chance, rounds):
    """The first difference, as text; else None."""
    if subject.parse(None) != parse(None):
        return f"unset: {subject.parse(None)}"
    for _ in range(rounds):
        text = random_text(chance)
        if subject.parse(text) != parse(text):
            return f"{text!r}: the library has {subject.parse(text)}, wanted {parse(text)}"
    return None


class Wrong:
    """Parsers with one mistake each, of the kind that the real one could have."""

    def __init__(self, parse):
        self.parse = parse


WRONG = {
    "names are trimmed": Wrong(parse=lambda t: parse(t) if t is None else parse(re.sub(r"\s*,\s*", ",", t))),
    "a repeated number is kept": Wrong(parse=lambda t: parse(t) or ([] if not t else numbers(t.split(",")[0]))),
    "garbage after digits ends the list": Wrong(
        parse=lambda t: parse(t) if t is None or "gpu2" not in t or t[:4] in ("GPU-", "MIG-") else numbers(t.split("1gpu2")[0])),
    "numbers saturate": Wrong(parse=lambda t: [e if len(e) < 20 else "18446744073709551615" for e in parse(t)]),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", nargs="?")
    parser.add_argument("--rounds", type=int, default=20000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--wrong", action="store_true")
    arguments = parser.parse_args()
    seed = random.randrange(1 << 32) if arguments.seed is None else arguments.seed
    print(f"seed {seed}")
    if arguments.wrong:
        missed = [name for name, wrong in WRONG.items() if compare(wrong, random.Random(seed), arguments.rounds) is None]
        print("\n".join(f"not noticed: {name}" for name in missed) or f"{len(WRONG)} wrong parsers, all noticed")
        return 1 if missed else 0
    difference = compare(Library(arguments.library), random.Random(seed), arguments.rounds)
    print(difference or f"{arguments.rounds} texts, no difference")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
