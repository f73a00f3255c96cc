/* SPDX-License-Identifier: Apache-2.0 */
#include "gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

static gs_status_t append(void *arg, const char *piece, size_t bytes) {
    text *whole = arg;
    if (whole->room - whole->size < bytes) {
        const size_t room = 2 * whole->room + bytes + 1024;
        char *larger = realloc(whole->bytes, room);
        if (!larger) return GS_ERROR_OUT_OF_MEMORY;
        whole->bytes = larger;
        whole->room = room;
    }
    memcpy(whole->bytes + whole->size, piece, bytes);
    whole->size += bytes;
    return GS_OK;
}

static gs_status_t hand_over(gs_status_t status, text whole, uint64_t out[2]) {
    out[0] = out[1] = 0;
    if (status != GS_OK) {
        free(whole.bytes);
        return status;
    }
    out[0] = (uint64_t)(uintptr_t)whole.bytes;
    out[1] = whole.size;
    return GS_OK;
}

gs_status_t gs_java_graph_dot(gs_graph_t graph, uint64_t out[2]) {
    text whole = {NULL, 0, 0};
    const gs_status_t status = gs_graph_write_dot(graph, append, &whole);
    return hand_over(status, whole, out);
}

gs_status_t gs_java_trace_text(uint64_t trace, uint64_t out[2]) {
    text whole = {NULL, 0, 0};
    const gs_status_t status = gs_trace_write(trace, append, &whole);
    return hand_over(status, whole, out);
}

void gs_java_free(void *bytes) { free(bytes); }

void gs_java_on_report(void *arg, const char *said, const char *json) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)arg, &number);
    const size_t text_bytes = strlen(said) + 1, json_bytes = strlen(json) + 1;
    char *both = malloc(text_bytes + json_bytes);
    if (both) {
        memcpy(both, said, text_bytes);
        memcpy(both + text_bytes, json, json_bytes);
        if (gs_java_post(side, GS_JAVA_REPORTED, number, (uint64_t)(uintptr_t)both)) return;
    }
    free(both);
    fprintf(stderr, "gpustream: %s", said); /* as without a function */
}
