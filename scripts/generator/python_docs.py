# SPDX-License-Identifier: Apache-2.0
"""bindings/python/native/docs.h: docstrings of the methods written in C, from the header's comments in Python's words."""
import json
import re
import textwrap

from .output import header
from .scanner import HeaderError

WAITING = ["gpustream.TimeLimitError: the time limit passed; the work goes on, and the call may be repeated.",
           "KeyboardInterrupt: Ctrl-C on the main thread; the work goes on."]
# (name, signature, C function, what only Python has to say)
METHODS = [
    ("record", "record($self, stream=None)", "gs_event_record", {}),
    ("wait", "wait($self, stream=None)", "gs_event_wait", {}),
    ("elapsed_time", "elapsed_time($self, end_event)", "gs_event_elapsed_ms",
     {"summary": "Returns the time from this event's record to end_event's, in milliseconds (float)."}),
    ("event_query", "query($self, /)", "gs_event_query", {"summary": "Reports whether the work that the event's record covers is done (bool)."}),
    ("event_synchronize", "synchronize($self, timeout=None)", "gs_event_synchronize",
     {"more": "Other Python threads run while it waits. Callbacks put into streams before that point have returned, too.", "raises": WAITING}),
    ("event_close", "close($self, /)", "gs_event_destroy",
     {"summary": "Gives the event back now instead of when the object is collected.",
      "more": "Other calls then raise InvalidHandleError; a second close does nothing."}),
    ("event_from_handle", "from_handle($type, handle, /)", "gs_event_retain",
     {"summary": "Returns an object for an event that C or another language has made, with a reference of its own.",
      "more": "The owner's reference stays the owner's.",
      "raises": ["gpustream.InvalidHandleError: no live event has that number.",
                 "OverflowError: handle is negative or has more than 64 bits."]}),
    ("record_event", "record_event($self, event=None)", "gs_stream_record_event",
     {"summary": "Records an event in this stream and returns it; None makes a new event without timing."}),
    ("wait_event", "wait_event($self, event)", "gs_stream_wait_event", {"summary": "Makes this stream wait for an event; the caller does not wait."}),
    ("wait_stream", "wait_stream($self, stream)", "gs_stream_wait_stream",
     {"summary": "Makes this stream wait for all work submitted to another stream so far; the caller does not wait."}),
    ("stream_query", "query($self, /)", "gs_stream_query", {"summary": "Reports whether all work submitted to the stream is done (bool)."}),
    ("stream_synchronize", "synchronize($self, timeout=None)", "gs_stream_synchronize",
     {"more": "Other Python threads run while it waits. Callbacks put into streams before that point have returned, too.", "raises": WAITING}),
    ("stream_close", "close($self, /)", "gs_stream_destroy",
     {"summary": "Gives the stream back now instead of when the object is collected.",
      "more": "Other calls then raise InvalidHandleError; a second close does nothing. What default_stream() returns stays open."}),
    ("enter", "__enter__($self, /)", "gs_push_current_stream",
     {"summary": "Makes the stream and its device current on this thread until the with block ends."}),
    ("current_stream", "current_stream($module, device=None)", "gs_current_stream",
     {"summary": "Returns this thread's current stream of a device.",
      "more": "Inside `with s:` that is s itself, as long as s is a plain Stream; elsewhere an object that is equal to it."}),
    ("default_stream", "default_stream($module, device=None)", "gs_default_stream",
     {"summary": "Returns the default (legacy, null) stream of a device."}),
    ("synchronize", "synchronize($module, device=None, timeout=None)", "gs_device_synchronize",
     {"more": "Other Python threads run while it waits. Callbacks put into its streams before have returned, too. On the main thread "
              "work that other threads submit during a long wait may be waited for, too.",
      "raises": [*WAITING, "gpustream.NotSupportedError: there is a timeout, and the driver is older than 12.5."]}),
]  # fmt: skip
# Classes whose names do not follow from the status's.
CLASSES = {"TIMEOUT": "TimeLimitError", "SYSTEM": "SystemCallError"}
ARGUMENTS = {
    "stream=None": "stream: a stream, also another library's (gpustream.interop); None: the current stream.",
    "event=None": "event: an Event; None: a new one.",
    "end_event": "end_event: an Event.", "event": "event: an Event.", "stream": "stream: a stream, also another library's (gpustream.interop).",
    "device=None": "device: a device; None or any negative number: the current one.",
    "timeout=None": "timeout: seconds; 0 only asks; None: no limit.",
    "handle": "handle: a gs_event_t (int), such as Event.handle.",
}  # fmt: skip
WRONG_TYPES = {"stream": "TypeError: stream is not a stream.", "event": "TypeError: event is not an Event.", "end_event": "TypeError: end_event is not an Event.",
               "handle": "TypeError: handle is not an int."}
STATUS = re.compile(r"\bGS_(?:ERROR_(\w+)|(NOT_READY))\b")
RAISED = re.compile(STATUS.pattern + r" \(((?:[^()]|\(\))*)\)")  # a reason may name functions: gs_forbid_sync()


def exception(match):
    status = match.group(1) or match.group(2)
    return "gpustream." + CLASSES.get(status, "".join(part.capitalize() for part in status.split("_")) + "Error")


PYTHON_WORDS = {"in mode GS_UNRECORDED_ERROR": 'in mode "error" of set_unrecorded_mode()', "without GS_EVENT_TIMING": "without enable_timing=True"}


def in_python(api, text):
    """The header's words with Python's names; sentences that are about C only are left out."""
    for words, own in PYTHON_WORDS.items():
        text = text.replace(words, own)
    text = STATUS.sub(exception, text)
    text = re.sub(r"\b(gs_\w+)\(\)", lambda found: f"{api.function(found.group(1)).names['python']}()", text)
    return " ".join(sentence for sentence in re.split(r"(?<=[.;]) ", text) if not re.search(r"\bGS_|\bNULL\b", sentence))


def raises(api, function, parameters):
    for match in RAISED.finditer(function.returns):
        why = re.sub(r"\bout_\w+ is NULL[,;]?( or )?", "", match.group(3)).strip()
        if why and match.group(1) != "INVALID_HANDLE":
            said = in_python(api, why)
            if not said:
                raise HeaderError(f"{function.name}: PYTHON_WORDS has no words of Python for the reason '{why}'")
            yield f"{exception(match)}: {said}."
    for name in parameters:
        if name in WRONG_TYPES:
            yield WRONG_TYPES[name]


def docstring(api, signature, function, own):
    given = [part.strip() for part in re.search(r"\((.*)\)", signature).group(1).split(",")][1:]
    given = [part for part in given if part != "/"]
    blocks = "Does not block." if function.blocking == "no" else f"Blocks {function.blocking}."
    paragraphs = [own.get("summary") or in_python(api, function.summary), in_python(api, function.doc), own.get("more", "")]
    text = "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs if paragraph)
    if given:
        text += "\n\nArgs:\n" + "\n".join(textwrap.fill(ARGUMENTS[part], 100, initial_indent="    ", subsequent_indent="        ") for part in given)
    listed = [*raises(api, function, [part.split("=")[0] for part in given]), *own.get("raises", [])]
    if listed:
        text += "\n\nRaises:\n" + "\n".join(textwrap.fill(row, 100, initial_indent="    ", subsequent_indent="        ") for row in listed)
    return f"{text}\n\n" + textwrap.fill(f"{blocks} See {function.name}() in gpustream.h.", 100)


def text(api):
    whole = header("bindings/python/native/docs.h", 'Docstrings. The line before "--" is what inspect.signature() and help() show.')
    whole += "#ifndef GPUSTREAM_PYTHON_DOCS_H\n#define GPUSTREAM_PYTHON_DOCS_H\n"
    for name, signature, function, own in METHODS:
        described = api.function(function)
        if described is None:
            raise HeaderError(f"python_docs.py describes {name} by {function}(), which the header does not have")
        # A blank line goes with the line before it.
        lines = re.findall(r".+\n*", f"{signature}\n--\n\n{docstring(api, signature, described, own)}")
        quoted = [json.dumps(line, ensure_ascii=False) for line in lines]
        whole += f"\n#define gs_py_doc_{name} " + " \\\n    ".join(quoted) + "\n"
    return whole + "\n#endif\n"
