# SPDX-License-Identifier: Apache-2.0
"""Checks that the diagrams of docs/design/lives.md have the states and transitions of src/core/life.hpp, no more and no fewer.

usage: check_lives.py ROOT
"""

import re

from command_line import run

TABLE, PAGE = "src/core/life.hpp", "docs/design/lives.md"
KINDS = {"StreamState": "Streams", "EventState": "Events"}


def table(text, kind):
    """{state: set of the states that may follow it}"""
    states = re.search(rf"enum class {kind} : \w+ {{(.*?)\n}};", text, re.DOTALL)[1]
    followers = {name: set() for name in re.findall(r"^ +(\w+),", states, re.MULTILINE)}
    body = re.search(rf"followers\({kind} from\).*?\n}}", text, re.DOTALL)[0]
    waiting = []  # labels that share the next return
    for line in body.splitlines():
        if label := re.match(r"\s*case (\w+):", line):
            waiting.append(label[1])
        if answer := re.search(r"return (?:set_of\(([^)]*)\)|0);", line):
            for state in waiting:
                followers[state] = set(re.findall(r"\w+", answer[1] or ""))
            waiting = []
    return followers


def diagram(text, title):
    """The same, as drawn; arrows to [*] mark states that nothing follows."""
    section = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
    drawn = {}
    for source, target in re.findall(r"^ +(\w+) --> (\w+|\[\*\])", section, re.MULTILINE):
        drawn.setdefault(source, set())
        if target != "[*]":
            drawn[source].add(target)
            drawn.setdefault(target, set())
    return drawn


def check(root):
    """Returns one line per defect."""
    code, page = (root / TABLE).read_text(), (root / PAGE).read_text()
    defects = []
    for kind, title in KINDS.items():
        wanted, drawn = table(code, kind), diagram(page, title)
        defects += [f"{PAGE}: {title} lack the state {state}" for state in sorted(wanted.keys() - drawn.keys())]
        defects += [f"{PAGE}: {title} have the state {state}, which {TABLE} does not have" for state in sorted(drawn.keys() - wanted.keys())]
        for state in sorted(wanted.keys() & drawn.keys()):
            defects += [f"{PAGE}: {title} lack {state} --> {target}" for target in sorted(wanted[state] - drawn[state])]
            defects += [f"{PAGE}: {title} draw {state} --> {target}, which {TABLE} does not allow" for target in sorted(drawn[state] - wanted[state])]
    return defects


if __name__ == "__main__":
    run(check, __doc__)
