/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the library or the driver that wait until Java has run a function for them. They never enter Java; the end of
   the virtual machine or of the function lets them go. */
#ifndef GPUSTREAM_JAVA_HELD_H
#define GPUSTREAM_JAVA_HELD_H

#include <stdint.h>

typedef struct gs_java_held {
    struct gs_java_held *next;
    const void *side; /* whose end lets it go */
    uint64_t ticket;  /* never used again */
    int released;
} gs_java_held;

/* The calling thread is about to wait. The record lives on its stack. */
void gs_java_hold(gs_java_held *held, const void *side);

/* Waits until it is released, then forgets it. */
void gs_java_wait_held(gs_java_held *held);

/* Forgets one that need not wait. */
void gs_java_forget_held(gs_java_held *held);

/* The function has run. Does nothing if the waiting has ended. */
void gs_java_release_held(uint64_t ticket);

/* The virtual machine ends. */
void gs_java_release_all_held(const void *side);

#endif
