/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void on_report(void *arg, const char *text, const char *json) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)arg, &number);
    const size_t text_bytes = strlen(text) + 1, json_bytes = strlen(json) + 1;
    char *both = malloc(text_bytes + json_bytes);
    if (both) {
        memcpy(both, text, text_bytes);
        memcpy(both + text_bytes, json, json_bytes);
        if (gs_java_post(side, GS_JAVA_REPORTED, number, (uint64_t)(uintptr_t)both)) return;
    }
    free(both);
    fprintf(stderr, "gpustream: %s", text); /* as without a function */
}

uint64_t gs_java_report_function(void) { return (uint64_t)(uintptr_t)on_report; }
