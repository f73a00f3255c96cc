/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_getattr_np */
#include "threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

/* The virtual machine keeps about 100 KiB below every Java frame free; the rest is for reporting. */
enum { STACK_NEEDED = 192 * 1024 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static JavaVM *machine;

/* JNI_OnLoad does not run under FFM, so the virtual machine is looked up. */
static void find_machine(void) {
    void *library = dlopen("libjvm.so", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) return;
    jint (*created)(JavaVM **, jsize, jsize *) = NULL;
    *(void **)&created = dlsym(library, "JNI_GetCreatedJavaVMs");
    jsize found = 0;
    if (created && created(&machine, 1, &found) == JNI_OK && found == 0) machine = NULL;
    dlclose(library);
}

JavaVM *gs_java_machine(void) {
    pthread_once(&once, find_machine);
    return machine;
}

void gs_java_set_machine(JavaVM *vm) {
    pthread_once(&once, find_machine);
    machine = vm;
}

int gs_java_is_attached(void) {
    JavaVM *vm = gs_java_machine();
    void *env = NULL;
    return vm && (*vm)->GetEnv(vm, &env, JNI_VERSION_10) == JNI_OK;
}

int gs_java_has_stack(void) {
    static __thread uintptr_t lowest, highest; /* asked once per thread: slow for the initial thread */
    if (!highest) {
        pthread_attr_t attributes;
        void *start = NULL;
        size_t size = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
        pthread_attr_getstack(&attributes, &start, &size);
        pthread_attr_destroy(&attributes);
        lowest = (uintptr_t)start;
        highest = lowest + size;
    }
    const char here = 0;
    const uintptr_t at = (uintptr_t)&here;
    /* A thread may run on another stack (a coroutine), of which nothing is known. */
    return at < highest && at > lowest && at - lowest >= STACK_NEEDED;
}
