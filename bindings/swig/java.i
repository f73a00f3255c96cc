/* SPDX-License-Identifier: Apache-2.0 */
/* The Java native library: every function of the header as a static native method with primitive parameters. Statuses
   stay numbers and outputs stay addresses, because JNI and FFM serve the same Java code (io.gpustream.internal), which
   turns failures into exceptions in one place. */
%module(jniclassname="GpustreamJni") Gpustream
%include "java_types.i"
%include "gpustream.i"
