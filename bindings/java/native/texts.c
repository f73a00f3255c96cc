/* SPDX-License-Identifier: Apache-2.0 */
#include "gates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gs_status_t gs_java_on_text(void *arg, const char *piece, size_t bytes) {
    gs_java_text *whole = arg;
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
