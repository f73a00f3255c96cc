/* SPDX-License-Identifier: Apache-2.0 */
/* How C types cross to Java: handles, pointers and functions as long, other numbers bit by bit. */

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

/* Also pointers to functions: what is called is an address that Java got elsewhere. */
GS_CROSSES(SWIGTYPE *, jlong, long, ($1_ltype)(uintptr_t)$input, (jlong)(uintptr_t)$1)
%apply SWIGTYPE * { gs_stream_t, gs_event_t, gs_module_t, gs_kernel_t, void *, void ** };
%apply SWIGTYPE * { const char *name, const char *value, const char *candidates, const char *uuids };

/* Java has no unsigned types: the bits are kept. */
GS_CROSSES(int32_t, jint, int, ($1_ltype)$input, (jint)$1)
GS_CROSSES(int64_t, jlong, long, ($1_ltype)$input, (jlong)$1)
%apply int32_t { uint32_t, gs_status_t, gs_backend_t, gs_device_t };
%apply int64_t { uint64_t, uintptr_t, size_t };

/* Structs are memory to Java (io.gpustream.internal.Layouts) and constants are enums there. */
%ignore gs_error_info;
%ignore gs_stats;
%ignore gs_device_info;
%ignore gs_inventory_entry;
%ignore gs_stream_triple;
%ignore gs_ipc_handle;
%ignore gs_launch_config;
%ignore gs_kernel_context;
%rename("$ignore", %$isenumitem) "";
%rename("$ignore", regextarget=1) "^GS_";
