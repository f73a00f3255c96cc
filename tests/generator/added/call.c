/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the made-up functions as a C program does. */
#include <gpustream.h>
#include <stdio.h>

static gs_status_t seen(void *arg, int64_t value) {
    *(int64_t *)arg += value;
    return value < 0 ? GS_ERROR_SYSTEM : GS_OK;
}

int main(void) {
    const gs_made_weight_t weight = {sizeof weight, GS_MADE_DOUBLED, 0.5};
    const int64_t values[] = {3, 4, 5}, refused[] = {1, -1, 1};
    gs_made_total_t total = {sizeof total, 0, 0, {0}};
    gs_event_t event = NULL;
    int64_t sum = 0;
    uint32_t doubled = 0;
    int64_t squares[3] = {0};
    size_t count = 0;
    if (gs_made_sum(&weight, values, 3, seen, &sum, &total, &event) != GS_OK) return 1;
    if (sum != 12 || total.count != 3 || total.sum < 11.9 || total.sum > 12.1 || total.first[2] != 5) return 2;
    if (gs_made_doubled_flags(event, &doubled) != GS_OK || doubled != 2 * GS_EVENT_TIMING) return 3;
    if (gs_event_destroy(event) != GS_OK) return 4;
    if (gs_made_squares(20, squares, 3, &count) != GS_OK || count != 5 || squares[2] != 4) return 6;
    if (gs_made_sum(&weight, refused, 3, seen, &sum, &total, &event) != GS_ERROR_SYSTEM || event) return 5;
    puts("C: 12");
    return 0;
}
