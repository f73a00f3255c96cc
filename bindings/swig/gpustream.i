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

// SWIG follows only includes of its own: the chapters in the order in which gpustream.h has them.
%include "gpustream/library.h"
%include "gpustream/device.h"
%include "gpustream/stream.h"
%include "gpustream/event.h"
%include "gpustream/current.h"
%include "gpustream/work.h"
%include "gpustream/memory.h"
%include "gpustream/graph.h"
%include "gpustream/wait.h"
%include "gpustream/bridge.h"
%include "gpustream/inventory.h"
%include "gpustream_tools.h"
%include "gpustream.h"
