/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the calling thread can enter Java. */
#ifndef GPUSTREAM_JAVA_THREADS_H
#define GPUSTREAM_JAVA_THREADS_H

#include <jni.h>

/* The virtual machine of this process in libjvm.so; NULL if there is none. */
JavaVM *gs_java_machine(void);

/* For JNI_OnLoad(), which receives it. */
void gs_java_set_machine(JavaVM *vm);

/* Whether the thread is attached to the virtual machine. */
int gs_java_is_attached(void);

/* Whether enough stack is left to enter Java, overflow the stack there and report that. A stack overflow at the entry
   itself cannot be caught. */
int gs_java_has_stack(void);

#endif
