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

// Macros for C programs; gs_device_make() is there for the others.
%ignore GS_API;
%ignore GS_DEVICE;
%ignore GS_STREAM_CURRENT;

%include "gpustream.h"
