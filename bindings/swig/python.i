// SPDX-License-Identifier: Apache-2.0
// The Python extension gpustream._core: every function of the header under its own name, and the two classes that
// streams and events are. What SWIG cannot express (optional and named arguments at speed, what must not hold the GIL,
// callbacks) is in bindings/python/native.
%module(package="gpustream") _core

%include "blocking.i"

// Hot calls keep the GIL: giving it up costs more than they do. Only what waits for something gives it up.
%nothread;
%define GS_GIVES_UP_GIL(function)
%thread function;
%enddef
GS_FOR_EACH_BLOCKING(GS_GIVES_UP_GIL)
// What reaches the driver's queues gives it up where GPUSTREAM_GIL=release says so (native/gil.h).
%define GS_MAY_GIVE_UP_GIL(function)
%exception function {
    GS_PY_DRIVER($action);
}
%enddef
GS_FOR_EACH_QUEUEING(GS_MAY_GIVE_UP_GIL)
GS_FOR_EACH_MEASURING(GS_GIVES_UP_GIL)
%define GS_GIVES_UP_GIL_AT_FIRST(function)
%exception function {
    GS_PY_FIRST_USE($action);
}
%enddef
GS_FOR_EACH_STARTING(GS_GIVES_UP_GIL_AT_FIRST)

// Streams of others whose objects may end before their use does (native/foreign_stream.h).
%define GS_OUTLIVES_OBJECT(function)
%exception function {
    $action
    gs_py_outlived(swig_obj[0]);
}
%enddef
GS_OUTLIVES_OBJECT(gs_set_current_stream)
GS_OUTLIVES_OBJECT(gs_push_current_stream)
GS_OUTLIVES_OBJECT(gs_exchange_current_stream)
GS_OUTLIVES_OBJECT(gs_stream_id)

// Given back when the object ends, so there is nothing for Python to call.
%ignore gs_stream_retain;
%ignore gs_stream_destroy;
%ignore gs_event_retain;
%ignore gs_event_destroy;
// Borrowed from the library; the native form takes a reference.
%ignore gs_current_stream;
// The structs travel as dicts, tuples and bytes.
%ignore gs_error_info;
%ignore gs_stats;
%ignore gs_device_info;
%ignore gs_inventory_entry;
%ignore gs_stream_triple;
%ignore gs_ipc_handle;
%ignore gs_launch_config;
%ignore gs_kernel_context;

%include "python_types.i"

%{
#ifdef __GNUC__
#define SWIGPY_LIKELY(x) __builtin_expect(!!(x), 1)
#define SWIGPY_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define SWIGPY_LIKELY(x) (x)
#define SWIGPY_UNLIKELY(x) (x)
#endif
%}

%{
#include <stdlib.h>
#include <structmember.h>
#include <string.h>
#include "gpustream.h"
#include "gil.h"
#include "objects.h"
#include "errors.h"
#include "arguments.h"
#include "numbers.h"
#include "start.h"
#include "structs.h"
#include "docs.h"
#include "known_streams.h"
#include "synchronize.h"
#include "construct.h"
#include "construct_event.h"
#include "construct_stream.h"
#include "compare.h"
#include "event_methods.h"
#include "stream_methods.h"
#include "enter.h"
#include "mailbox.h"
#include "foreign_stream.h"
#include "foreign.h"
#include "module.h"
%}

// Before the classes: what comes at import is in the order of this file.
%init %{
    if (gs_py_may_import() < 0) return -1;
%}

%nodefaultctor;
%nodefaultdtor;
%feature("python:tp_new") gs_stream "gs_py_stream_new";
%feature("python:tp_init") gs_stream "gs_py_stream_init";
%feature("python:tp_dealloc") gs_stream "gs_py_stream_dealloc";
%feature("python:tp_richcompare") gs_stream "gs_py_stream_richcompare";
%feature("python:tp_hash") gs_stream "gs_py_stream_hash";
%feature("python:tp_new") gs_event "gs_py_event_new";
%feature("python:tp_init") gs_event "gs_py_event_init";
%feature("python:tp_dealloc") gs_event "gs_py_event_dealloc";
%feature("python:tp_richcompare") gs_event "gs_py_event_richcompare";
%feature("python:tp_hash") gs_event "gs_py_event_hash";
%rename(GenericStream) gs_stream;
%rename(GenericEvent) gs_event;
struct gs_stream {};
struct gs_event {};

%include "gpustream.i"

%native(write_unraisable) PyObject *gs_py_write_unraisable(PyObject *module, PyObject *arguments);

// After the classes.
%init %{
    if (gs_py_finish_module(m) < 0) return -1;
%}
