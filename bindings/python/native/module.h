/* SPDX-License-Identifier: Apache-2.0 */
/* What the extension module has beside the flat functions that SWIG generates: what its files give to module.c. */
#ifndef GPUSTREAM_PYTHON_MODULE_H
#define GPUSTREAM_PYTHON_MODULE_H

#include "common.h"

/* How functions of the module are called: METH_NOARGS, METH_O and METH_VARARGS; METH_FASTCALL; with keywords. */
typedef PyObject *gs_py_plain(PyObject *module, PyObject *argument);
typedef PyObject *gs_py_fast(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
typedef PyObject *gs_py_fast_named(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

/* Before anything is made: whether the module can be imported in this process. 0 or -1. */
int gs_py_may_import(void);

/* Adds classes, functions and constants. 0 or -1. */
int gs_py_fill_module(PyObject *module);

/* ---- classes: each function makes some and returns 0 or -1 ------------------------------------------------------ */

/* gpustream.generic.Stream and .Event, and gpustream.Stream and .Event, which derive from them and differ in their
   parameters (objects.h). */
int gs_py_make_stream_types(void);
int gs_py_make_event_types(void);

/* The base of gpustream.ExternalStream (foreign_stream.h); the stream classes exist. */
int gs_py_make_foreign_stream_type(void);

/* For classes that derive from streams in C. */
void gs_py_stream_dealloc(PyObject *self);
PyObject *gs_py_stream_close(PyObject *self, PyObject *unused);

/* StreamContext(stream): a stream as a context manager; None leaves the current stream as it is. stream(stream) makes one. */
extern GS_PY_HIDDEN PyTypeObject *gs_py_stream_context_type;
int gs_py_make_stream_context_type(void);
gs_py_fast_named gs_py_stream_function;

/* device, device_of and DeviceGuard, which this adds to the module: context managers that make a device current for a while.
   One object may be entered again, also on several threads at once: each entry has its own device to go back to. */
int gs_py_add_device_guards(PyObject *module);

/* Executable graphs: the bases of gpustream.GraphExec and gpustream.CUDAGraph, which do everything but the launch. */
extern GS_PY_HIDDEN PyTypeObject *gs_py_graph_exec_type, *gs_py_cuda_graph_type;
int gs_py_make_graph_types(void);

/* ---- functions -------------------------------------------------------------------------------------------------- */

/* set_stream(stream): current_stream() returns this object from now on. */
gs_py_fast_named gs_py_current_stream, gs_py_current_raw_stream, gs_py_default_stream, gs_py_set_stream;
gs_py_fast_named gs_py_set_device, gs_py_synchronize;
gs_py_plain gs_py_current_device, gs_py_device_count;

/* from_native(type, native, device, owner): a stream of the type. The device and the owner may be None. */
gs_py_fast gs_py_from_native;

/* borrow_stream(handle), borrow_event(handle): an object that owns no reference. Any number is accepted, for the library
   to check. For tests. detach(object): its handle, whose reference is the caller's from now on. */
gs_py_plain gs_py_borrow_stream, gs_py_borrow_event, gs_py_detach;

/* Adds C_API, the capsule by which other extensions reach this one (gpustream_python.h). Returns 0 or -1. */
int gs_py_add_c_api(PyObject *module);

/* dlpack_function(): the address (int) of the function for a DLPackExchangeAPI.
   library_file(): the file of libgpustream that serves this process. */
gs_py_plain gs_py_dlpack_function, gs_py_library_file;

/* ---- messages --------------------------------------------------------------------------------------------------- */

/* For gs_set_log_callback(). The library's log messages may come on any thread, with or without the GIL: they go into a list
   that the main thread empties at its next safe point. */
void gs_py_log(void *unused, int32_t level, const char *text);

/* In a forked child. */
void gs_py_forget_messages(void);

#endif
