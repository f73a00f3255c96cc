# SPDX-License-Identifier: Apache-2.0
"""What tests of traces share: a schema, and a small program that is traced."""
import json
import threading

import gpustream
from gpustream import nvtx, trace

NUMBER = (int, float)
# For each phase: the fields that an event must have, and those it may have, with their types.
PHASES = {
    "M": ({"name": str, "pid": int, "tid": int, "args": dict}, {}),
    "X": ({"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBER, "dur": NUMBER, "args": dict}, {}),
    "i": ({"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBER, "s": str}, {}),
    "b": ({"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBER, "id": int}, {}),
    "e": ({"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBER, "id": int}, {}),
    "s": ({"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBER, "id": int}, {}),
    "f": ({"name": str, "cat": str, "pid": int, "tid": int, "ts": NUMBER, "id": int, "bp": str}, {}),
}
CATEGORIES = {"gpustream", "cuda_driver", "cuda_sync", "user_annotation", "gpu_user_annotation", "order"}


def check_schema(document):
    """Complaints about a trace, as texts; none if it is what viewers and torch's tools expect."""
    found = []
    found += [f"no {name}" for name in ("schemaVersion", "displayTimeUnit", "deviceProperties", "gpustream", "traceEvents") if name not in document]
    named, spans, begins = set(), {}, {}
    for event in document.get("traceEvents", []):
        fields = PHASES.get(event.get("ph"))
        if fields is None:
            found.append(f"phase of {event}")
            continue
        missing = [f"{name} of {event}" for name, kind in fields[0].items() if not isinstance(event.get(name), kind)]
        if missing:
            found += missing
            continue
        found += [f"unknown {name} in {event}" for name in event.keys() - fields[0].keys() - {"ph"}]
        if "cat" in event and event["cat"] not in CATEGORIES:
            found.append(f"category of {event}")
        lane = event.get("pid"), event.get("tid")
        if event["ph"] == "M" and event["name"] == "thread_name":
            named.add(lane)
        elif event["ph"] != "M" and lane not in named:
            found.append(f"a lane without a name: {event}")
        if event["ph"] == "X":
            spans.setdefault(lane, []).append((event["ts"], -event["dur"]))
            if event["dur"] < 0:
                found.append(f"duration of {event}")
        if event["ph"] == "s":
            begins[event["id"]] = event["ts"]
        if event["ph"] == "f" and begins.get(event["id"], float("inf")) > event["ts"]:
            found.append(f"an arrow from nowhere or back in time: {event}")
    for lane, ones in spans.items():
        around = []
        for begin, negative in sorted(ones):
            while around and around[-1] <= begin + 1e-9:
                around.pop()
            if around and begin - negative > around[-1] + 2e-3:
                found.append(f"spans of {lane} that overlap at {begin}")
            around.append(begin - negative)
    return found


def events(document, **wanted):
    return [one for one in document["traceEvents"] if all(one.get(name) == value for name, value in wanted.items())]


def traced(work, **options):
    with trace.Trace(**options) as one:
        work()
    document = json.loads(one.text())
    assert check_schema(document) == []
    return document


def pipeline():
    upload, compute = gpustream.Stream(), gpustream.Stream()
    upload.set_name("upload")
    with nvtx.range("step"):
        with nvtx.range("inner"), upload:
            nvtx.mark("first")
            event = upload.record_event()
            compute.wait_event(event)
        other = threading.Thread(target=compute.synchronize)
        other.start()
        other.join()
        compute.wait_stream(upload)
    number = nvtx.range_start("beside")
    nvtx.range_end(number)
