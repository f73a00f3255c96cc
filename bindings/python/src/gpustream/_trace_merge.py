# SPDX-License-Identifier: Apache-2.0
"""Joins a trace of the library with one of torch.profiler."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Document = dict[str, Any]

# Above what torch numbers itself: its flows and correlations keep their meaning.
_FIRST_NUMBER = 1 << 40


def _events(document: object) -> list[dict[str, Any]]:
    found = document.get("traceEvents") if isinstance(document, dict) else document
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise ValueError("torch's file is no trace: it has no list traceEvents")
    return found


def _moved(event: dict[str, Any], by_us: float, process: object) -> dict[str, Any]:
    """An event of ours in torch's time. The devices get processes of their own: torch has the driver's numbers of streams, not ours."""
    made = dict(event)
    if "ts" in made:
        made["ts"] = round(made["ts"] + by_us, 3)
    if made.get("pid") != process:
        made["pid"] = f"gpustream device {made['pid']}"
    if "id" in made:
        made["id"] += _FIRST_NUMBER
    if "args" in made:
        made["args"] = {name: value + _FIRST_NUMBER if name in ("correlation", "wait_on_cuda_event_record_corr_id", "waits_since") else value
                        for name, value in made["args"].items()}
    return made


def merged(ours: Document, theirs: Any, epoch_ns: int) -> Document:
    """Theirs, with our events behind; epoch_ns: the time of day when the monotonic clock was 0.

    Torch's times are microseconds of the time of day, counted from baseTimeNanoseconds where the file has it. The time of day may
    have been set since, so the two parts fit as well as it was kept.

    Raises ValueError: theirs is no trace.
    """
    result: Document = dict(theirs) if isinstance(theirs, dict) else {}
    base = result.get("baseTimeNanoseconds", 0)
    if not isinstance(base, int):
        raise ValueError("torch's file is no trace: baseTimeNanoseconds is no number")
    by_us = (epoch_ns - base) / 1000
    process = ours["gpustream"]["process"]
    result["traceEvents"] = _events(theirs) + [_moved(event, by_us, process) for event in ours["traceEvents"]]
    result["gpustream"] = ours["gpustream"]
    return result
