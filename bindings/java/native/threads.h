/* SPDX-License-Identifier: Apache-2.0 */
/* What the calling thread is, and whether it can go into Java. */
#ifndef GPUSTREAM_JAVA_THREADS_H
#define GPUSTREAM_JAVA_THREADS_H

#include <jni.h>

/* The virtual machine of this process, or NULL where none of the usual kind is. */
JavaVM *gs_java_machine(void);

/* JNI is told of it. */
void gs_java_set_machine(JavaVM *vm);

/* Whether it is attached to the virtual machine; one that is not would have to be attached first. */
int gs_java_is_javas_thread(void);

/* Whether enough of its stack is left to enter Java, run something there that overflows the stack, and report that.
   A stack overflow at the entry itself nobody can catch. */
int gs_java_has_stack(void);

#endif
