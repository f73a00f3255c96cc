#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the results of bench/run side by side: table.py FOLDER prints Markdown.

FOLDER holds c.tsv (name, ns) and JMH's jni.json, ffm.json and jcuda.json, of which any may be missing.
"""
import json
import sys
from pathlib import Path


def read_jmh(path):
    """{call: (ns of the best iteration, bytes allocated per call)}"""
    if not path.exists():
        return {}
    results = {}
    for one in json.loads(path.read_text()):
        score = one["primaryMetric"]
        allocated = one["secondaryMetrics"].get("gc.alloc.rate.norm", {}).get("score", float("nan"))
        best = min(min(iterations) for iterations in score["rawData"])
        results[one["benchmark"].rsplit(".", 1)[1]] = (best, allocated)
    return results


def cell(result):
    return f"{result[0]:.1f}" if result else ""


def over(result, base):
    return f"{result[0] - base:+.1f}" if result else ""


def main(folder):
    c = dict(line.split("\t") for line in (folder / "c.tsv").read_text().splitlines())
    jni, ffm, jcuda = (read_jmh(folder / f"{name}.json") for name in ("jni", "ffm", "jcuda"))
    print("| call | C | JNI | over C | FFM | over C | JCuda | bytes per call, JNI | FFM |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, text in c.items():
        base = float(text)
        allocated = [f"{side[name][1]:.0f}" if name in side else "" for side in (jni, ffm)]
        columns = [name, f"{base:.1f}", cell(jni.get(name)), over(jni.get(name), base), cell(ffm.get(name)),
                   over(ffm.get(name), base), cell(jcuda.get(name)), *allocated]
        print("| " + " | ".join(columns) + " |")
    print("\nOne thread; the best of nine rounds in C, of JMH's iterations in Java. JCuda calls the driver each time.\n"
          "A stream's native handle and priority and an event's id never change, so Java asks for them once; eventDevice (of\n"
          "an event not bound yet) is a getter that asks each time, version one that also has no output to fetch.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
