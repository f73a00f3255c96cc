/* SPDX-License-Identifier: Apache-2.0 */
/* Where the library's own threads post notes for a thread of a managed language. They never enter that language, which
   may be busy, stopped or gone: a thread of the language waits here and does the rest. */
#ifndef GPUSTREAM_BINDINGS_NATIVE_MAILBOX_H
#define GPUSTREAM_BINDINGS_NATIVE_MAILBOX_H

#include <gpustream.h>
#include <pthread.h>
#include <stdint.h>

/* A mailbox is never freed: work that is under way has its address. */
typedef struct gs_mailbox {
    pthread_mutex_t mutex;
    pthread_cond_t filled;
    struct gs_note *first, *last; /* in the order in which they came */
    int closed;
    uint64_t clock; /* gs_check_handover(): who takes notes knows what those who posted them knew */
} gs_mailbox;

#define GS_MAILBOX_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, 0, 0}

/* Made by malloc(), alone or as the first member of more. */
typedef struct gs_note {
    struct gs_note *next;
    gs_mailbox *mailbox;
    uint64_t ticket;
    gs_status_t status;
} gs_note;

/* Puts it in and returns 1. Once the mailbox is closed: returns 0, and the note is still the caller's. */
int gs_mailbox_post(gs_note *note);

/* For gs_stream_notify(), whose argument is a note: posts it with the status, or frees it. */
void gs_mailbox_deliver(void *note, gs_status_t status);

/* Waits for notes and takes all of them; the caller frees them. NULL: closed, and empty. */
gs_note *gs_mailbox_wait(gs_mailbox *mailbox);

/* What is in it can still be taken; nothing more is put in. */
void gs_mailbox_close(gs_mailbox *mailbox);

/* In a forked child, where the mutex may have been held and what is under way belongs to the parent. */
void gs_mailbox_after_fork(gs_mailbox *mailbox);

#endif
