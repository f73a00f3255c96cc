/* SPDX-License-Identifier: Apache-2.0 */
/* The native methods of JniBridge: native memory, and the upcalls of gates.h through JNI. */
#include <jni.h>
#include <stdint.h>
#include <string.h>

#include "gates.h"
#include "graphs.h"
#include "reports.h"
#include "texts.h"
#include "threads.h"

static jclass callbacks;
static jmethodID released, initialised, logged, bridged;

/* NULL: the thread is not attached. */
static JNIEnv *environment(void) {
    JavaVM *machine = gs_java_machine();
    JNIEnv *env = NULL;
    return (*machine)->GetEnv(machine, (void **)&env, JNI_VERSION_10) == JNI_OK ? env : NULL;
}

/* The Java methods throw nothing; this is for a virtual machine out of memory. */
static int threw(JNIEnv *env) {
    if (!(*env)->ExceptionCheck(env)) return 0;
    (*env)->ExceptionDescribe(env);
    (*env)->ExceptionClear(env);
    return 1;
}

static void on_released(uint64_t number) {
    JNIEnv *env = environment();
    if (!env) return;
    (*env)->CallStaticVoidMethod(env, callbacks, released, (jlong)number);
    threw(env);
}

/* The only upcall that attaches a thread. It is detached at once: when the thread ends, the virtual machine may be gone. */
static gs_status_t on_initialised(uint64_t number) {
    JavaVM *machine = gs_java_machine();
    JNIEnv *env = environment();
    const int foreign = !env;
    static char name[] = "gpustream-init";
    JavaVMAttachArgs arguments = {JNI_VERSION_10, name, NULL};
    if (foreign && (*machine)->AttachCurrentThreadAsDaemon(machine, (void **)&env, &arguments) != JNI_OK)
        return GS_ERROR_SYSTEM;
    const jint status = (*env)->CallStaticIntMethod(env, callbacks, initialised, (jlong)number);
    const int failed = threw(env);
    if (foreign) (*machine)->DetachCurrentThread(machine);
    return failed ? GS_ERROR_SYSTEM : status;
}

/* Bytes in place of a string: JNI's strings are not UTF-8. NULL with an exception pending when there is no memory. */
static jbyteArray bytes_of(JNIEnv *env, const char *text) {
    const jsize length = (jsize)strlen(text);
    jbyteArray bytes = (*env)->NewByteArray(env, length);
    if (bytes) (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)text);
    return bytes;
}

static void on_logged(int32_t level, const char *text) {
    JNIEnv *env = environment();
    if (!env) return;
    jbyteArray bytes = bytes_of(env, text);
    if (bytes) {
        (*env)->CallStaticVoidMethod(env, callbacks, logged, (jint)level, bytes);
    }
    threw(env);
    if (bytes) (*env)->DeleteLocalRef(env, bytes);
}

static int64_t on_bridged(uint64_t number, int32_t what, int32_t ordinal, int64_t native) {
    JNIEnv *env = environment();
    if (!env) return GS_JAVA_THREW;
    const jlong result =
        (*env)->CallStaticLongMethod(env, callbacks, bridged, (jlong)number, (jint)what, (jint)ordinal, (jlong)native);
    return threw(env) ? GS_JAVA_THREW : result;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *env = NULL;
    gs_java_set_machine(vm);
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
    jclass local = (*env)->FindClass(env, "io/gpustream/internal/jni/JniCallbacks");
    if (!local) return JNI_ERR;
    callbacks = (*env)->NewGlobalRef(env, local);
    if (!callbacks) return JNI_ERR;
    released = (*env)->GetStaticMethodID(env, callbacks, "released", "(J)V");
    initialised = (*env)->GetStaticMethodID(env, callbacks, "initialised", "(J)I");
    logged = (*env)->GetStaticMethodID(env, callbacks, "logged", "(I[B)V");
    bridged = (*env)->GetStaticMethodID(env, callbacks, "bridged", "(JIIJ)J");
    return released && initialised && logged && bridged ? JNI_VERSION_10 : JNI_ERR;
}

#define METHOD(type, name) JNIEXPORT type JNICALL Java_io_gpustream_internal_jni_JniBridge_##name
#define SIDE(number) ((gs_java_side *)(intptr_t)(number))

METHOD(jlong, addressOf)(JNIEnv *env, jobject self, jobject buffer);
METHOD(jobject, bufferOf)(JNIEnv *env, jobject self, jlong address, jint bytes);
METHOD(jbyteArray, bytes)(JNIEnv *env, jclass type, jlong address);
METHOD(jlong, open)(JNIEnv *env, jclass type);
METHOD(void, close)(JNIEnv *env, jclass type, jlong side);
METHOD(jint, receiveLog)(JNIEnv *env, jclass type, jlong side);
METHOD(jint, notifyOn)(JNIEnv *env, jclass type, jlong side, jlong stream, jlong number);
METHOD(jint, callOnInit)(JNIEnv *env, jclass type, jlong side, jlong number);
METHOD(jint, fromNativeOwned)
(JNIEnv *env, jclass type, jlong side, jint device, jlong native, jlong number, jlong out_stream);
METHOD(jint, eventFromNativeOwned)
(JNIEnv *env, jclass type, jlong side, jint device, jlong native, jlong number, jlong out_event);
METHOD(jint, bridgeRegister)
(JNIEnv *env, jclass type, jlong side, jlong name, jint backend, jlong number, jint parts, jlong out_bridge);
METHOD(jint, graphKeep)(JNIEnv *env, jclass type, jlong side, jlong graph, jlong number);
METHOD(jint, defer)(JNIEnv *env, jclass type, jlong side, jlong stream, jlong number);
METHOD(jlong, argumentOf)(JNIEnv *env, jclass type, jlong side, jlong number);
METHOD(jlong, hostFunctionAddress)(JNIEnv *env, jclass type);
METHOD(jlong, reportFunctionAddress)(JNIEnv *env, jclass type);
METHOD(void, ranTicket)(JNIEnv *env, jclass type, jlong ticket);
METHOD(jint, graphDotText)(JNIEnv *env, jclass type, jlong graph, jlong out);
METHOD(jint, wholeTrace)(JNIEnv *env, jclass type, jlong out);
METHOD(void, freeText)(JNIEnv *env, jclass type, jlong address);
METHOD(jint, take)(JNIEnv *env, jclass type, jlong side, jlong out);

METHOD(jlong, addressOf)(JNIEnv *env, jobject self, jobject buffer) {
    (void)self;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

METHOD(jobject, bufferOf)(JNIEnv *env, jobject self, jlong address, jint bytes) {
    (void)self;
    return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, bytes);
}

METHOD(jbyteArray, bytes)(JNIEnv *env, jclass type, jlong address) {
    (void)type;
    return bytes_of(env, (const char *)(intptr_t)address);
}

METHOD(jlong, open)(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    return (jlong)(intptr_t)gs_java_open(on_logged, on_released, on_initialised, on_bridged);
}

METHOD(void, close)(JNIEnv *env, jclass type, jlong side) {
    (void)env, (void)type;
    gs_java_close(SIDE(side));
}

METHOD(jint, receiveLog)(JNIEnv *env, jclass type, jlong side) {
    (void)env, (void)type;
    return gs_java_receive_log(SIDE(side));
}

METHOD(jint, notifyOn)(JNIEnv *env, jclass type, jlong side, jlong stream, jlong number) {
    (void)env, (void)type;
    return gs_java_notify(SIDE(side), (gs_stream_t)(intptr_t)stream, (uint64_t)number);
}

METHOD(jint, callOnInit)(JNIEnv *env, jclass type, jlong side, jlong number) {
    (void)env, (void)type;
    return gs_java_call_on_init(SIDE(side), (uint64_t)number);
}

METHOD(jint, fromNativeOwned)
(JNIEnv *env, jclass type, jlong side, jint device, jlong native, jlong number, jlong out_stream) {
    (void)env, (void)type;
    return gs_java_stream_from_native_owned(SIDE(side), device, (uint64_t)native, (uint64_t)number,
                                            (gs_stream_t *)(intptr_t)out_stream);
}

METHOD(jint, eventFromNativeOwned)
(JNIEnv *env, jclass type, jlong side, jint device, jlong native, jlong number, jlong out_event) {
    (void)env, (void)type;
    return gs_java_event_from_native_owned(SIDE(side), device, (uint64_t)native, (uint64_t)number,
                                           (gs_event_t *)(intptr_t)out_event);
}

METHOD(jint, bridgeRegister)
(JNIEnv *env, jclass type, jlong side, jlong name, jint backend, jlong number, jint parts, jlong out_bridge) {
    (void)env, (void)type;
    return gs_java_bridge_register(SIDE(side), (const char *)(intptr_t)name, backend, (uint64_t)number, parts,
                                   (int32_t *)(intptr_t)out_bridge);
}

METHOD(jint, graphKeep)(JNIEnv *env, jclass type, jlong side, jlong graph, jlong number) {
    (void)env, (void)type;
    return gs_java_graph_keep(SIDE(side), (gs_graph_t)(intptr_t)graph, (uint64_t)number);
}

METHOD(jint, defer)(JNIEnv *env, jclass type, jlong side, jlong stream, jlong number) {
    (void)env, (void)type;
    return gs_java_defer(SIDE(side), (gs_stream_t)(intptr_t)stream, (uint64_t)number);
}

METHOD(jlong, argumentOf)(JNIEnv *env, jclass type, jlong side, jlong number) {
    (void)env, (void)type;
    return (jlong)gs_java_argument(SIDE(side), (uint64_t)number);
}

METHOD(jlong, hostFunctionAddress)(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    return (jlong)gs_java_host_function();
}

METHOD(jlong, reportFunctionAddress)(JNIEnv *env, jclass type) {
    (void)env, (void)type;
    return (jlong)gs_java_report_function();
}

METHOD(void, ranTicket)(JNIEnv *env, jclass type, jlong ticket) {
    (void)env, (void)type;
    gs_java_ran((uint64_t)ticket);
}

METHOD(jint, graphDotText)(JNIEnv *env, jclass type, jlong graph, jlong out) {
    (void)env, (void)type;
    return gs_java_graph_dot((gs_graph_t)(intptr_t)graph, (uint64_t *)(intptr_t)out);
}

METHOD(jint, wholeTrace)(JNIEnv *env, jclass type, jlong out) {
    (void)env, (void)type;
    return gs_java_trace_text((uint64_t *)(intptr_t)out);
}

METHOD(void, freeText)(JNIEnv *env, jclass type, jlong address) {
    (void)env, (void)type;
    gs_java_free((void *)(intptr_t)address);
}

METHOD(jint, take)(JNIEnv *env, jclass type, jlong side, jlong out) {
    (void)env, (void)type;
    return gs_java_take(SIDE(side), (gs_java_taken *)(intptr_t)out);
}
