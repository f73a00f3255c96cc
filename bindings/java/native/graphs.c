/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of Java in graphs and streams, and the threads that wait for them. */
#include <pthread.h>

#include "gates.h"

/* A thread of the library or the driver that waits until Java has run a function for it. It never enters Java; the end of
   the virtual machine or of the function lets it go. The record lives on its stack. */
typedef struct held {
    struct held *next;
    const gs_java_side *side; /* whose end lets it go */
    uint64_t ticket;          /* never used again */
    int released;
} held;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static held *all;
static uint64_t tickets;

void gs_java_run_and_wait(void *argument) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)argument, &number);
    held self = {.side = side, .released = 0};
    pthread_mutex_lock(&mutex); /* before the note, which may be taken at once */
    self.ticket = ++tickets;
    self.next = all;
    all = &self;
    pthread_mutex_unlock(&mutex);
    const int posted = gs_java_post(side, GS_JAVA_RUN, number, self.ticket); /* else the virtual machine has ended */
    pthread_mutex_lock(&mutex);
    while (posted && !self.released) pthread_cond_wait(&released, &mutex);
    held **at = &all;
    while (*at != &self) at = &(*at)->next;
    *at = self.next;
    pthread_mutex_unlock(&mutex);
}

/* Those with a ticket, and those of a side, unless that is NULL. */
static void release(uint64_t ticket, const gs_java_side *side) {
    pthread_mutex_lock(&mutex);
    for (held *one = all; one; one = one->next)
        if (one->ticket == ticket || (side && one->side == side)) one->released = 1;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&mutex);
}

void gs_java_ran(uint64_t ticket) { release(ticket, NULL); }

void gs_java_release_all(const gs_java_side *side) { release(0, side); }
