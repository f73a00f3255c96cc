/* SPDX-License-Identifier: Apache-2.0 */
#include "held.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static gs_java_held *all;
static uint64_t tickets;

static void remove_locked(gs_java_held *held) {
    gs_java_held **at = &all;
    while (*at != held) at = &(*at)->next;
    *at = held->next;
}

void gs_java_hold(gs_java_held *held, const void *side) {
    pthread_mutex_lock(&mutex);
    held->side = side;
    held->ticket = ++tickets;
    held->released = 0;
    held->next = all;
    all = held;
    pthread_mutex_unlock(&mutex);
}

void gs_java_wait_held(gs_java_held *held) {
    pthread_mutex_lock(&mutex);
    while (!held->released) pthread_cond_wait(&released, &mutex);
    remove_locked(held);
    pthread_mutex_unlock(&mutex);
}

void gs_java_forget_held(gs_java_held *held) {
    pthread_mutex_lock(&mutex);
    remove_locked(held);
    pthread_mutex_unlock(&mutex);
}

void gs_java_release_held(uint64_t ticket) {
    pthread_mutex_lock(&mutex);
    gs_java_held *held = all;
    while (held && held->ticket != ticket) held = held->next;
    if (held) held->released = 1;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&mutex);
}

void gs_java_release_all_held(const void *side) {
    pthread_mutex_lock(&mutex);
    for (gs_java_held *held = all; held; held = held->next)
        if (held->side == side) held->released = 1;
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&mutex);
}
