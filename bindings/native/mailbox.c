/* SPDX-License-Identifier: Apache-2.0 */
#include "native/mailbox.h"

#include <stdlib.h>

int gs_mailbox_post(gs_note *note) {
    gs_mailbox *mailbox = note->mailbox;
    note->next = NULL;
    gs_check_handover(&mailbox->clock);
    pthread_mutex_lock(&mailbox->mutex);
    const int open = !mailbox->closed;
    if (open) {
        *(mailbox->first ? &mailbox->last->next : &mailbox->first) = note;
        mailbox->last = note;
        pthread_cond_signal(&mailbox->filled);
    }
    pthread_mutex_unlock(&mailbox->mutex);
    return open;
}

void gs_mailbox_deliver(void *arg, gs_status_t status) {
    gs_note *note = arg;
    note->status = status;
    if (!gs_mailbox_post(note)) free(note);
}

gs_note *gs_mailbox_wait(gs_mailbox *mailbox) {
    pthread_mutex_lock(&mailbox->mutex);
    while (!mailbox->first && !mailbox->closed) pthread_cond_wait(&mailbox->filled, &mailbox->mutex);
    gs_note *first = mailbox->first;
    mailbox->first = NULL;
    pthread_mutex_unlock(&mailbox->mutex);
    if (first) gs_check_handover(&mailbox->clock);
    return first;
}

void gs_mailbox_close(gs_mailbox *mailbox) {
    pthread_mutex_lock(&mailbox->mutex);
    mailbox->closed = 1;
    pthread_cond_broadcast(&mailbox->filled);
    pthread_mutex_unlock(&mailbox->mutex);
}

void gs_mailbox_after_fork(gs_mailbox *mailbox) {
    pthread_mutex_init(&mailbox->mutex, NULL);
    pthread_cond_init(&mailbox->filled, NULL);
    mailbox->first = NULL;
}
