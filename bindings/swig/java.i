/* SPDX-License-Identifier: Apache-2.0 */
/* One static native method per function, in class GpustreamJni, with the function's name and parameters. Statuses stay
   numbers and outputs stay addresses, because JNI and FFM serve the same Java code (io.gpustream.internal), which turns
   failures into exceptions in one place. */
%module(jniclassname="GpustreamJni") Gpustream
%include "java_types.i"
%include "gpustream.i"
