/* SPDX-License-Identifier: Apache-2.0 */
/* The native methods of internal/Bridge.java: native memory, and the upcalls of gates.h through JNI. */
#include <jni.h>
#include <stdint.h>

#include "gates.h"
#include "io_gpustream_internal_Bridge.h"
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

static void on_logged(int32_t level, const char *text) {
    JNIEnv *env = environment();
    if (!env) return;
    (*env)->CallStaticVoidMethod(env, callbacks, logged, (jint)level, (jlong)(intptr_t)text);
    threw(env);
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
    jclass local = (*env)->FindClass(env, "io/gpustream/internal/Upcalls");
    if (!local) return JNI_ERR;
    callbacks = (*env)->NewGlobalRef(env, local);
    if (!callbacks) return JNI_ERR;
    released = (*env)->GetStaticMethodID(env, callbacks, "released", "(J)V");
    initialised = (*env)->GetStaticMethodID(env, callbacks, "initialised", "(J)I");
    logged = (*env)->GetStaticMethodID(env, callbacks, "logged", "(IJ)V");
    bridged = (*env)->GetStaticMethodID(env, callbacks, "bridged", "(JIIJ)J");
    return released && initialised && logged && bridged ? JNI_VERSION_10 : JNI_ERR;
}

/* A native method; the header that javac writes declares it. */
#define METHOD(type, name, ...) JNIEXPORT type JNICALL Java_io_gpustream_internal_Bridge_##name(__VA_ARGS__)
#define THIS JNIEnv *env __attribute__((unused)), jobject self __attribute__((unused))
#define AT(type, address) ((type *)(intptr_t)(address))

static gs_java_side *side; /* of the one JNI layer that a process can load */

METHOD(jlong, addressOf, THIS, jobject buffer) { return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer); }

METHOD(jobject, bufferOf, THIS, jlong address, jint bytes) {
    return (*env)->NewDirectByteBuffer(env, AT(void, address), bytes);
}

METHOD(jboolean, open, THIS) {
    if (!side) side = gs_java_open(on_logged, on_released, on_initialised, on_bridged);
    return side != NULL;
}

METHOD(void, close, THIS) { gs_java_close(side); }

METHOD(jint, notifyOn, THIS, jlong stream, jlong number) {
    return gs_java_notify(side, (gs_stream_t)(intptr_t)stream, (uint64_t)number);
}

METHOD(jint, bridgeRegister, THIS, jlong name, jint backend, jlong number, jint parts, jlong out) {
    return gs_java_bridge_register(side, AT(const char, name), backend, (uint64_t)number, parts, AT(int32_t, out));
}

METHOD(jlong, argument, THIS, jlong number) { return (jlong)gs_java_argument(side, (uint64_t)number); }

METHOD(jlong, function, THIS, jint which) { return (jlong)gs_java_function(which); }

METHOD(void, ran, THIS, jlong ticket) { gs_java_ran((uint64_t)ticket); }

METHOD(void, free, THIS, jlong address) { gs_java_free(AT(void, address)); }

METHOD(jint, take, THIS, jlong out) { return gs_java_take(side, AT(gs_java_taken, out)); }
