# SPDX-License-Identifier: Apache-2.0
"""What errors say in Python: the library's texts are about C, and torch's are matched by programs."""
from __future__ import annotations

import contextlib
import re

from gpustream import _later, _where
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gpustream._backends import Special

# What torch says, where people match on it. The library's own text says the same in the words of C.
_TEXTS: dict[int, str] = {
    _core.GS_NOT_READY: "Both events must be completed before calculating elapsed time.",
    _core.GS_ERROR_NOT_RECORDED: "Both events must be recorded before calculating elapsed time.",
    _core.GS_ERROR_TIMING_DISABLED: "Both events must be created with argument 'enable_timing=True'.",
}
# What only C has: an object that is closed has no handle, and the places of calls are lines of Python.
_OF_C: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r"^the ([a-z ]+) is NULL: was it closed, or did gs_\w+ fail\?$", r"the \1 is closed"),
    (r"^there is no scope 0xf{16}: .*$", "this thread has not entered the block, or has left it: the thread that enters a block leaves it"),
    (r"^scope \w+ is not this thread's innermost: (\d+) opened after it are still open; .*$",
     r"this block is not the thread's innermost: \1 entered after it must be left first"),
    (r"^scope \w+ was opened by thread (\d+), which alone can end it$", r"thread \1 entered this block and must leave it"),
    (r"^scope \w+ has ended already$", "this block has been left already"),
    (r"\S+( \(\S+\))? called gs_forbid_sync\(1\); gs_forbid_sync\(0\) ends it", lambda _: f"forbid_sync() at {_where.forbidding.place} says so"),
    (r"\S+( \(\S+\))? set GS_OPTION_SYNC_DEBUG_MODE to 2 \(error\), 0 allows it again",
     lambda _: f"set_sync_debug_mode('error') at {_where.mode} says so"),
    (r"wrap a driver's event with gs_event_from_native$", "gpustream.interop.as_event() takes events of other libraries"),
    (r"built in are torch, tvm_ffi and executorch$", "there are torch, cupy, tvm_ffi, executorch, and those of register_bridge()"),
    (r"gs_trace_end\(\) ends it$", "gpustream.trace.stop() ends it"),
    (r": gs_trace_begin\(\)$", ": gpustream.trace.start() starts one"),
    (r"gs_timeline_abort\(\) says", "Timeline.abort() says"),
    (r"was aborted with GS_ERROR_ABORTED$", "was aborted"),
    (r"GS_OPTION_UNRECORDED_MODE is 2 \(error\)$", "set_unrecorded_mode('error') refuses its waits"),
]

# Of these only for elapsed_time() and its kin: other calls have other reasons for them.
_OF_ELAPSED = (_core.GS_ERROR_NOT_RECORDED, _core.GS_ERROR_TIMING_DISABLED)

# The library names flags as C does.
_FLAGS: dict[str, str] = {
    "GS_STREAM_BLOCKING": "blocking=True", "GS_STREAM_SHARED": "shared=True", "GS_STREAM_DEDICATED": "dedicated=True",
    "GS_EVENT_TIMING": "enable_timing=True", "GS_EVENT_BLOCKING": "blocking=True",
    "GS_EVENT_INTERPROCESS": "interprocess=True", "GS_EVENT_EXTERNAL": "external=True",
}


def special() -> Special:
    """The default backend's; the defaults if GPUSTREAM_BACKEND names none."""
    number = _core.GS_BACKEND_DEFAULT
    with contextlib.suppress(RuntimeError):
        number = _core.gs_default_backend()
    found: Special = _later.load("_backends").special(number)
    return found


def of(status: int, function: str, message: str) -> str:
    other = status in _OF_ELAPSED and not function.startswith("gs_event_elapsed")
    text: str = message.removeprefix(f"{function}: ") or _core.gs_status_message(status)
    if status in _TEXTS and not other:
        text = _TEXTS[status]
    elif status == _core.GS_ERROR_SYNC_FORBIDDEN:
        text = text.replace("synchronizing operation", f"synchronizing {special().operation}")
    elif status == _core.GS_ERROR_BAD_FORK:
        text = special().bad_fork or text
    elif status == _core.GS_ERROR_TIMEOUT and text == _core.gs_status_message(status):
        text += "; the work goes on, and the call may be repeated. Stream.explain() says what a stream waits for"
    text = in_python(text)
    if status == _core.GS_ERROR_INVALID_DEVICE and not text.startswith("Invalid"):
        text = f"Invalid device id: {text}"
    return text


def in_python(text: str) -> str:
    """A text of the library, also of its log, without what only C has."""
    for pattern, words in _OF_C:
        text = re.sub(pattern, words, text)
    for name, keyword in _FLAGS.items():
        text = text.replace(name, keyword)
    return text
