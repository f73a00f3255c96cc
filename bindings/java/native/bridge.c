/* SPDX-License-Identifier: Apache-2.0 */
/* The way from the library back into Java for JNI, and native memory. Beside the functions that SWIG generates. */
#include <gpustream.h>
#include <jni.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static JavaVM *machine;
static jclass callbacks;
static jmethodID notified, released, initialised, logged;
static pthread_key_t attached;

/* A thread of the library stays attached until it ends: attaching costs a hundred times what a call costs. */
static void detach(void *unused) {
    (void)unused;
    (*machine)->DetachCurrentThread(machine);
}

/* NULL when the virtual machine is gone or refuses: then there is nobody to tell. */
static JNIEnv *environment(void) {
    JNIEnv *env = NULL;
    if ((*machine)->GetEnv(machine, (void **)&env, JNI_VERSION_10) == JNI_OK) return env;
    static char name[] = "gpustream-native";
    JavaVMAttachArgs arguments = {JNI_VERSION_10, name, NULL};
    if ((*machine)->AttachCurrentThreadAsDaemon(machine, (void **)&env, &arguments) != JNI_OK) return NULL;
    pthread_setspecific(attached, machine);
    return env;
}

/* The Java methods throw nothing; this is for a virtual machine out of stack or memory. */
static int threw(JNIEnv *env) {
    if (!(*env)->ExceptionCheck(env)) return 0;
    (*env)->ExceptionDescribe(env);
    (*env)->ExceptionClear(env);
    return 1;
}

static void on_notified(void *number, gs_status_t status) {
    JNIEnv *env = environment();
    if (!env) return;
    (*env)->CallStaticVoidMethod(env, callbacks, notified, (jlong)(intptr_t)number, (jint)status);
    threw(env);
}

static void on_released(void *number) {
    JNIEnv *env = environment();
    if (!env) return;
    (*env)->CallStaticVoidMethod(env, callbacks, released, (jlong)(intptr_t)number);
    threw(env);
}

static gs_status_t on_initialised(void *number) {
    JNIEnv *env = environment();
    if (!env) return GS_ERROR_SYSTEM;
    const jint status = (*env)->CallStaticIntMethod(env, callbacks, initialised, (jlong)(intptr_t)number);
    return threw(env) ? GS_ERROR_SYSTEM : status;
}

/* Bytes, not a string: JNI's strings are not UTF-8. NULL with an exception pending when there is no memory. */
static jbyteArray bytes_of(JNIEnv *env, const char *text) {
    const jsize length = (jsize)strlen(text);
    jbyteArray bytes = (*env)->NewByteArray(env, length);
    if (bytes) (*env)->SetByteArrayRegion(env, bytes, 0, length, (const jbyte *)text);
    return bytes;
}

static void on_logged(void *unused, int32_t level, const char *text) {
    (void)unused;
    JNIEnv *env = environment();
    if (!env) return;
    jbyteArray bytes = bytes_of(env, text);
    if (bytes) {
        (*env)->CallStaticVoidMethod(env, callbacks, logged, (jint)level, bytes);
    }
    threw(env);
    if (bytes) (*env)->DeleteLocalRef(env, bytes);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    (void)reserved;
    JNIEnv *env = NULL;
    machine = vm;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK) return JNI_ERR;
    if (pthread_key_create(&attached, detach) != 0) return JNI_ERR;
    jclass local = (*env)->FindClass(env, "io/gpustream/internal/jni/JniCallbacks");
    if (!local) return JNI_ERR;
    callbacks = (*env)->NewGlobalRef(env, local);
    if (!callbacks) return JNI_ERR;
    notified = (*env)->GetStaticMethodID(env, callbacks, "notified", "(JI)V");
    released = (*env)->GetStaticMethodID(env, callbacks, "released", "(J)V");
    initialised = (*env)->GetStaticMethodID(env, callbacks, "initialised", "(J)I");
    logged = (*env)->GetStaticMethodID(env, callbacks, "logged", "(I[B)V");
    return notified && released && initialised && logged ? JNI_VERSION_10 : JNI_ERR;
}

#define METHOD(type, name) JNIEXPORT type JNICALL Java_io_gpustream_internal_jni_JniBridge_##name

METHOD(jlong, addressOf)(JNIEnv *env, jobject self, jobject buffer);
METHOD(jobject, bufferOf)(JNIEnv *env, jobject self, jlong address, jint bytes);
METHOD(jbyteArray, bytesAt)(JNIEnv *env, jobject self, jlong address);
METHOD(jlong, releaseFunction)(JNIEnv *env, jobject self);
METHOD(jlong, initFunction)(JNIEnv *env, jobject self);
METHOD(jlong, notifyFunction)(JNIEnv *env, jobject self);
METHOD(jlong, logFunction)(JNIEnv *env, jobject self);

METHOD(jlong, addressOf)(JNIEnv *env, jobject self, jobject buffer) {
    (void)self;
    return (jlong)(intptr_t)(*env)->GetDirectBufferAddress(env, buffer);
}

METHOD(jobject, bufferOf)(JNIEnv *env, jobject self, jlong address, jint bytes) {
    (void)self;
    return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, bytes);
}

METHOD(jbyteArray, bytesAt)(JNIEnv *env, jobject self, jlong address) {
    (void)self;
    return bytes_of(env, (const char *)(intptr_t)address);
}

METHOD(jlong, releaseFunction)(JNIEnv *env, jobject self) {
    (void)env, (void)self;
    return (jlong)(intptr_t)&on_released;
}

METHOD(jlong, initFunction)(JNIEnv *env, jobject self) {
    (void)env, (void)self;
    return (jlong)(intptr_t)&on_initialised;
}

METHOD(jlong, notifyFunction)(JNIEnv *env, jobject self) {
    (void)env, (void)self;
    return (jlong)(intptr_t)&on_notified;
}

METHOD(jlong, logFunction)(JNIEnv *env, jobject self) {
    (void)env, (void)self;
    return (jlong)(intptr_t)&on_logged;
}
