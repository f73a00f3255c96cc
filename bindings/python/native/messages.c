/* SPDX-License-Identifier: Apache-2.0 */
#include "gil.h"
#include "hooks.h"
#include "module.h"
#include "waiting.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct message {
    struct message *next;
    int32_t level;
    char text[]; /* NUL-terminated */
} message;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static message *list, **list_end = &list;

/* Runs on the main thread, between two of its instructions. */
static int show_messages(void *unused) {
    (void)unused;
    pthread_mutex_lock(&mutex);
    message *first = list;
    list = NULL;
    list_end = &list;
    pthread_mutex_unlock(&mutex);
    while (first) {
        message *one = first;
        first = one->next;
        PyObject *text = PyUnicode_FromString(one->text);
        PyObject *result = text ? gs_py_call("_debug", "show_message", "(iO)", (int)one->level, text) : NULL;
        if (!result) PyErr_WriteUnraisable(text); /* a filter made the warning an error; there is no caller */
        Py_XDECREF(result);
        Py_XDECREF(text);
        free(one);
    }
    return 0;
}

/* May not call the library. */
void gs_py_log(void *unused, int32_t level, const char *text) {
    (void)unused;
    if (gs_py_warned && level == GS_LOG_WARNING && strstr(text, "called a synchronizing")) return;
    const size_t size = strlen(text) + 1;
    message *one = malloc(sizeof *one + size);
    if (!one || gs_py_is_shutting_down()) {
        free(one);
        fprintf(stderr, "gpustream: %s\n", text);
        return;
    }
    one->next = NULL;
    one->level = level;
    memcpy(one->text, text, size);
    pthread_mutex_lock(&mutex);
    *list_end = one;
    list_end = &one->next;
    pthread_mutex_unlock(&mutex);
    /* When the interpreter's list of pending calls is full, the next message takes this one along. */
    Py_AddPendingCall(show_messages, NULL);
}

void gs_py_forget_messages(void) {
    pthread_mutex_init(&mutex, NULL);
    list = NULL;
    list_end = &list;
}
