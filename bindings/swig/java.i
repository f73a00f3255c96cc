/* SPDX-License-Identifier: Apache-2.0 */
/* The C code of the native methods of io.gpustream.internal.Calls, one per function, with its parameters. Statuses stay
   numbers and outputs stay addresses, because JNI and FFM serve the same Java code (io.gpustream.internal), which turns
   failures into exceptions in one place. */
%module(jniclassname="Calls") Gpustream
%{
#include "io_gpustream_internal_Calls.h"
%}
%include "java_types.i"
%include "gpustream.i"
