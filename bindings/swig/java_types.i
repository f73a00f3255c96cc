/* SPDX-License-Identifier: Apache-2.0 */
/* How C types cross to Java: by rules only, so that a new function of the header needs no line here. */

%define GS_CROSSES(TYPE, JNI, JAVA, FROM_JAVA, TO_JAVA)
%typemap(jni) TYPE "JNI"
%typemap(jtype) TYPE "JAVA"
%typemap(jstype) TYPE "JAVA"
%typemap(in) TYPE %{ $1 = FROM_JAVA; %}
%typemap(out) TYPE %{ $result = TO_JAVA; %}
%typemap(javain) TYPE "$javainput"
%typemap(javaout) TYPE { return $jnicall; }
%typemap(argout) TYPE ""
%typemap(freearg) TYPE ""
%enddef

/* Addresses: handles, pointers to functions, structs, arrays and texts. */
GS_CROSSES(SWIGTYPE *, jlong, long, ($1_ltype)(uintptr_t)$input, (jlong)(uintptr_t)$1)
%apply SWIGTYPE * { void *, void **, char * };

/* Java has no unsigned types: the bits are kept. */
GS_CROSSES(int32_t, jint, int, ($1_ltype)$input, (jint)$1)
GS_CROSSES(int64_t, jlong, long, ($1_ltype)$input, (jlong)$1)
%apply int32_t { uint32_t };
%apply int64_t { uint64_t, uintptr_t, size_t };

/* Structs are memory to Java (io.gpustream.internal.Layouts), and numbers are in io.gpustream.internal.Constants. */
%rename("$ignore", %$isclass) "";
%rename("$ignore", %$isenumitem) "";
%rename("$ignore", regextarget=1) "^GS_";

/* gs_stream_wait_event is streamWaitEvent. */
%rename("%(regex:/^gs_([a-z0-9]+)_?([a-z0-9]*)_?([a-z0-9]*)_?([a-z0-9]*)_?([a-z0-9]*)_?([a-z0-9]*)$/\\1\\u\\2\\u\\3\\u\\4\\u\\5\\u\\6/)s", %$isfunction) "";
