// SPDX-License-Identifier: Apache-2.0
// Docstrings of the methods written here. The line before "--" is what inspect.signature() and help() show.

#define GS_PY_DOC(name, signature, text) static const char gs_py_doc_##name[] = signature "\n--\n\n" text

GS_PY_DOC(
    record, "record($self, stream=None)",
    "Record the event in a stream.\n\n"
    "The record covers all work submitted to the stream so far and replaces the one before. The first record binds\n"
    "the event to the stream's device.\n\n"
    "Args:\n"
    "    stream: a Stream, or another library's (see gpustream.interop); None: the current stream.\n\n"
    "Raises:\n"
    "    gpustream.DeviceMismatchError: the event is bound to another device.\n"
    "    gpustream.NotSupportedError: event and stream belong to different backends.\n"
    "    gpustream.InvalidArgumentError: the event has both enable_timing and interprocess.\n"
    "    TypeError: stream is no stream.\n\n"
    "Does not block. See gs_event_record() in gpustream.h.");
GS_PY_DOC(wait, "wait($self, stream=None)",
          "Make a stream wait for the event; the caller does not wait.\n\n"
          "Work submitted to the stream later starts after what the event's present record covers. An event never\n"
          "recorded: no effect.\n\n"
          "Args:\n"
          "    stream: the stream that waits, of any device; None: the current stream.\n\n"
          "Raises:\n"
          "    gpustream.NotSupportedError: stream and event belong to different backends.\n"
          "    TypeError: stream is no stream.\n\n"
          "Does not block. See gs_event_wait() in gpustream.h.");
GS_PY_DOC(elapsed_time, "elapsed_time($self, end_event)",
          "Give the time from this event's record to end_event's, in milliseconds (float).\n\n"
          "Negative when end_event was recorded first. Waits for nothing.\n\n"
          "Raises:\n"
          "    gpustream.NotSupportedError: they are of different device types.\n"
          "    ValueError: one of the two has no timing, or was never recorded.\n"
          "    RuntimeError: the work of one is not done yet.\n"
          "    gpustream.DeviceMismatchError: they are bound to different devices.\n"
          "    TypeError: end_event is no Event.\n\n"
          "See gs_event_elapsed_ms() in gpustream.h.");
GS_PY_DOC(event_query, "query($self, /)",
          "Tell whether the work that the event's record covers is done (bool). True for an event never recorded.\n\n"
          "Raises:\n"
          "    gpustream.CapturingError: it was recorded in a graph capture. On CUDA asking breaks that capture.\n\n"
          "Does not block. See gs_event_query() in gpustream.h.");
GS_PY_DOC(
    event_synchronize, "synchronize($self, /)",
    "Wait until the work that the event's record covers is done. Other Python threads run meanwhile.\n\n"
    "Callbacks put into streams before that point have returned, too. An event never recorded: returns at once.\n\n"
    "Raises:\n"
    "    gpustream.SyncForbiddenError: sync debug mode 'error', with scope 'all'.\n"
    "    gpustream.NotPermittedError: inside a callback of launch_host_func().\n"
    "    gpustream.CapturingError: it was recorded in a graph capture. On CUDA the call breaks that capture.\n\n"
    "Blocks. See gs_event_synchronize() in gpustream.h.");
GS_PY_DOC(
    event_close, "close($self, /)",
    "Give the event back now instead of when the object is collected. Other calls then raise InvalidHandleError;\n"
    "a second close does nothing. Work already submitted is still honoured.");
GS_PY_DOC(record_event, "record_event($self, event=None)",
          "Record an event in this stream and return it.\n\n"
          "Args:\n"
          "    event: the event; None: a new one without timing.\n\n"
          "Raises:\n"
          "    gpustream.DeviceMismatchError: the event is bound to another device.\n"
          "    TypeError: event is no Event.\n\n"
          "Does not block. See gs_stream_record_event() in gpustream.h.");
GS_PY_DOC(wait_event, "wait_event($self, event)",
          "Make this stream wait for an event; the caller does not wait. The same as event.wait(stream).\n\n"
          "Raises:\n"
          "    gpustream.NotSupportedError: stream and event belong to different backends.\n"
          "    TypeError: event is no Event.\n\n"
          "Does not block. See gs_stream_wait_event() in gpustream.h.");
GS_PY_DOC(wait_stream, "wait_stream($self, stream)",
          "Make this stream wait for all work submitted to another stream so far; the caller does not wait.\n\n"
          "Later work of the other stream is not waited for.\n\n"
          "Raises:\n"
          "    gpustream.NotSupportedError: the streams belong to different backends.\n"
          "    TypeError: stream is no stream.\n\n"
          "Does not block. See gs_stream_wait_stream() in gpustream.h.");
GS_PY_DOC(stream_query, "query($self, /)",
          "Tell whether all work submitted to the stream is done (bool).\n\n"
          "Raises:\n"
          "    gpustream.CapturingError: the stream is being captured; the capture stays intact.\n\n"
          "Does not block. See gs_stream_query() in gpustream.h.");
GS_PY_DOC(stream_synchronize, "synchronize($self, /)",
          "Wait until all work submitted to the stream so far is done. Other Python threads run meanwhile.\n\n"
          "Callbacks put into streams before that point have returned, too.\n\n"
          "Raises:\n"
          "    gpustream.SyncForbiddenError: sync debug mode 'error'; nothing was waited for.\n"
          "    gpustream.NotPermittedError: inside a callback of launch_host_func().\n"
          "    gpustream.CapturingError: the stream is being captured.\n\n"
          "Blocks. See gs_stream_synchronize() in gpustream.h.");
GS_PY_DOC(
    stream_close, "close($self, /)",
    "Give the stream back now instead of when the object is collected. Other calls then raise InvalidHandleError;\n"
    "a second close does nothing. Work already submitted is still done. What default_stream() gives stays open.");
GS_PY_DOC(
    enter, "__enter__($self, /)",
    "Make the stream and its device current on this thread until the with block ends. Nests to any depth, also with\n"
    "the same stream. Does not block.");
GS_PY_DOC(
    current_stream, "current_stream($module, device=None)",
    "Give this thread's current stream of a device.\n\n"
    "Inside `with s:` that is s itself, as long as s is a plain Stream; elsewhere an object that is equal to it.\n\n"
    "Args:\n"
    "    device: a device; None or any negative number: the current one.\n\n"
    "Raises:\n"
    "    gpustream.InvalidDeviceError: there is no such device.\n\n"
    "Initialises the library at first use. Does not block. See gs_current_stream() in gpustream.h.");
GS_PY_DOC(default_stream, "default_stream($module, device=None)",
          "Give the default (legacy, null) stream of a device.\n\n"
          "Args:\n"
          "    device: a device; None or any negative number: the current one.\n\n"
          "Raises:\n"
          "    gpustream.InvalidDeviceError: there is no such device.\n\n"
          "Initialises the library at first use. Does not block. See gs_default_stream() in gpustream.h.");
GS_PY_DOC(synchronize, "synchronize($module, device=None)",
          "Wait until all work submitted to a device so far is done. Other Python threads run meanwhile.\n\n"
          "Callbacks put into its streams before have returned, too.\n\n"
          "Args:\n"
          "    device: a device; None or any negative number: the current one.\n\n"
          "Raises:\n"
          "    gpustream.InvalidDeviceError: there is no such device.\n"
          "    gpustream.SyncForbiddenError: sync debug mode 'error', with scope 'all'.\n"
          "    gpustream.NotPermittedError: inside a callback of launch_host_func().\n"
          "    gpustream.CapturingError: a stream of the device is being captured.\n\n"
          "Blocks. See gs_device_synchronize() in gpustream.h.");
