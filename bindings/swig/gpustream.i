// SPDX-License-Identifier: Apache-2.0
// What every SWIG language has in common: the public header, read once, and which of its functions SWIG leaves out.
// A language's own file sets %module, its typemaps and, before anything else, its names; then it includes this one.
//
// Typemaps work by names that the header keeps to: results are parameters called out_*, failures are the type
// gs_status_t, handles have types of their own.

%{
#include "gpustream.h"
%}

%include <stdint.i>

// Functions that take a function: a callback into a managed language needs its own threads and its own lifetime rules,
// so each language writes these by hand. Java passes them addresses of native functions, like any other number.
#ifndef SWIGJAVA
%ignore gs_set_log_callback;
%ignore gs_call_on_init;
%ignore gs_stream_from_native_owned;
%ignore gs_stream_launch_host;
%ignore gs_stream_notify;
#endif

// Macros for C programs. gs_device_make() does the same for everybody else.
%ignore GS_API;
%ignore GS_DEVICE;
%ignore GS_STREAM_CURRENT;

%include "gpustream.h"
