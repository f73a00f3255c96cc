/* SPDX-License-Identifier: Apache-2.0 */
#include "gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "native/mailbox.h"
#include "threads.h"

/* Messages beyond these are not kept; they go to stderr. */
enum { MOST_MESSAGES = 1000 };

/* An argument of a native function has the place of the side in its upper bits. */
enum { MOST_SIDES = 4096, NUMBER_BITS = 52 };

struct gs_java_side {
    gs_mailbox mailbox;
    gs_note *taken; /* used by the taking thread only */
    gs_java_logged logged;
    gs_java_released released;
    gs_java_initialised initialised;
    gs_java_bridged bridged;
    pthread_mutex_t mutex;
    pthread_cond_t left;
    int closed, inside;
    int place;    /* in sides */
    int messages; /* in the mailbox; atomic */
};

typedef struct java_note {
    gs_note note; /* first: the mailbox frees it */
    int32_t kind;
    uint64_t ticket;
    char text[];
} java_note;

static pthread_mutex_t sides_mutex = PTHREAD_MUTEX_INITIALIZER;
static gs_java_side *sides[MOST_SIDES]; /* each is written once, before native code has its place */
static int sides_count;

static java_note *new_note(gs_java_side *side, int32_t kind, uint64_t number, const char *text) {
    const size_t size = strlen(text) + 1;
    java_note *note = malloc(sizeof *note + size);
    if (!note) return NULL;
    note->note.mailbox = &side->mailbox;
    note->note.ticket = number;
    note->note.status = GS_OK;
    note->kind = kind;
    note->ticket = 0;
    memcpy(note->text, text, size);
    return note;
}

static int enter(gs_java_side *side) {
    pthread_mutex_lock(&side->mutex);
    const int open = !side->closed;
    side->inside += open;
    pthread_mutex_unlock(&side->mutex);
    return open;
}

static void leave(gs_java_side *side) {
    pthread_mutex_lock(&side->mutex);
    if (--side->inside == 0) pthread_cond_broadcast(&side->left);
    pthread_mutex_unlock(&side->mutex);
}

/* For threads that may enter only if they are attached. The virtual machine is asked only while it exists. */
static int enter_as_java(gs_java_side *side) {
    if (!enter(side)) return 0;
    if (gs_java_is_attached() && gs_java_has_stack()) return 1;
    leave(side);
    return 0;
}

gs_java_side *gs_java_open(gs_java_logged logged, gs_java_released released, gs_java_initialised initialised,
                           gs_java_bridged bridged) {
    gs_java_side *side = calloc(1, sizeof *side);
    if (!side) return NULL;
    const gs_mailbox empty = GS_MAILBOX_INITIALIZER;
    const pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    side->mailbox = empty;
    side->mutex = mutex;
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&side->left, &attributes);
    pthread_condattr_destroy(&attributes);
    side->logged = logged;
    side->released = released;
    side->initialised = initialised;
    side->bridged = bridged;
    pthread_mutex_lock(&sides_mutex);
    side->place = sides_count < MOST_SIDES ? sides_count++ : MOST_SIDES;
    if (side->place < MOST_SIDES) sides[side->place] = side;
    pthread_mutex_unlock(&sides_mutex);
    if (side->place < MOST_SIDES) return side;
    free(side);
    return NULL;
}

uint64_t gs_java_argument(gs_java_side *side, uint64_t number) { return (uint64_t)side->place << NUMBER_BITS | number; }

gs_java_side *gs_java_side_of(uint64_t argument, uint64_t *out_number) {
    *out_number = argument & (((uint64_t)1 << NUMBER_BITS) - 1);
    return sides[argument >> NUMBER_BITS];
}

void gs_java_close(gs_java_side *side) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_nsec += 250 * 1000 * 1000;
    deadline.tv_sec += deadline.tv_nsec / 1000000000;
    deadline.tv_nsec %= 1000000000;
    gs_mailbox_close(&side->mailbox);
    gs_java_release_all(side);
    pthread_mutex_lock(&side->mutex);
    side->closed = 1;
    while (side->inside > 0 && pthread_cond_timedwait(&side->left, &side->mutex, &deadline) == 0) {}
    pthread_mutex_unlock(&side->mutex);
}

int32_t gs_java_take(gs_java_side *side, gs_java_taken *out) {
    if (!side->taken) side->taken = gs_mailbox_wait(&side->mailbox);
    if (!side->taken) return GS_JAVA_CLOSED;
    java_note *note = (java_note *)side->taken;
    side->taken = note->note.next;
    if (note->kind == GS_JAVA_LOGGED) __atomic_fetch_sub(&side->messages, 1, __ATOMIC_RELAXED);
    out->number = note->note.ticket;
    out->kind = note->kind;
    out->code = note->note.status;
    out->ticket = note->ticket;
    snprintf(out->text, sizeof out->text, "%s", note->text);
    free(note);
    return out->kind;
}

/* Same text as the library's own default. */
static void to_stderr(int32_t level, const char *text) {
    if (level > GS_LOG_WARNING) return;
    char line[1100];
    int length = snprintf(line, sizeof line, "gpustream: %s: %s\n", level == GS_LOG_ERROR ? "error" : "warning", text);
    if (length >= (int)sizeof line) {
        length = sizeof line - 1;
        line[length - 1] = '\n';
    }
    /* One write, so that lines of several threads stay whole; there is no place to report a failure. */
    const ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written;
}

/* Returns whether the mailbox has taken it. */
static int post_message(gs_java_side *side, int32_t level, const char *text) {
    if (__atomic_fetch_add(&side->messages, 1, __ATOMIC_RELAXED) < MOST_MESSAGES) {
        java_note *note = new_note(side, GS_JAVA_LOGGED, 0, text);
        if (note) {
            note->note.status = level;
            if (gs_mailbox_post(&note->note)) return 1;
            free(note);
        }
    }
    __atomic_fetch_sub(&side->messages, 1, __ATOMIC_RELAXED);
    return 0;
}

static void on_message(void *arg, int32_t level, const char *text) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)arg, &number);
    if (enter_as_java(side)) {
        side->logged(level, text);
        leave(side);
    } else if (!post_message(side, level, text)) {
        to_stderr(level, text);
    }
}

static void on_release(void *arg) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)arg, &number);
    if (enter_as_java(side)) {
        side->released(number);
        leave(side);
    } else {
        gs_java_post(side, GS_JAVA_RELEASED, number, 0);
    }
}

/* On the library's dispatcher, where nothing enters Java, also if another language has attached that thread. */
static void on_end(void *arg) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)arg, &number);
    gs_java_post(side, GS_JAVA_RELEASED, number, 0);
}

static gs_status_t on_init(void *arg) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)arg, &number);
    gs_status_t status = GS_OK; /* once the virtual machine has ended, the library may still start for others */
    if (!gs_java_has_stack()) {
        status = GS_ERROR_SYSTEM;
    } else if (enter(side)) {
        status = side->initialised(number);
        leave(side);
    }
    return status;
}

uint64_t gs_java_function(int32_t which) {
    switch (which) {
    case GS_JAVA_ON_INIT: return (uint64_t)(uintptr_t)on_init;
    case GS_JAVA_ON_RELEASE: return (uint64_t)(uintptr_t)on_release;
    case GS_JAVA_ON_END: return (uint64_t)(uintptr_t)on_end;
    case GS_JAVA_ON_RUN: return (uint64_t)(uintptr_t)gs_java_run_and_wait;
    case GS_JAVA_ON_TEXT: return (uint64_t)(uintptr_t)gs_java_on_text;
    case GS_JAVA_ON_MESSAGE: return (uint64_t)(uintptr_t)on_message;
    default: return (uint64_t)(uintptr_t)gs_java_on_report;
    }
}

gs_status_t gs_java_notify(gs_java_side *side, gs_stream_t stream, uint64_t number) {
    java_note *note = new_note(side, GS_JAVA_DONE, number, "");
    if (!note) return GS_ERROR_OUT_OF_MEMORY;
    const gs_status_t status = gs_stream_notify(stream, gs_mailbox_deliver, note);
    if (status != GS_OK) free(note);
    return status;
}

int gs_java_post(gs_java_side *side, int32_t kind, uint64_t number, uint64_t ticket) {
    java_note *note = new_note(side, kind, number, "");
    if (!note) {
        to_stderr(GS_LOG_ERROR, "no memory for a notification of Java, which is lost");
        return 0;
    }
    note->ticket = ticket;
    const int posted = gs_mailbox_post(&note->note);
    if (!posted) free(note);
    return posted;
}

int64_t gs_java_call_bridge(gs_java_side *side, uint64_t number, int32_t what, int32_t ordinal, int64_t native,
                            int *out_entered) {
    *out_entered = enter_as_java(side);
    if (!*out_entered) return 0;
    const int64_t result = side->bridged(number, what, ordinal, native);
    leave(side);
    return result;
}
