/* SPDX-License-Identifier: Apache-2.0 */

#include "gates.h"
#include "held.h"

/* On a thread of the backend. */
static void run_and_wait(void *argument) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)argument, &number);
    gs_java_held held;
    gs_java_hold(&held, side); /* before the note, which may be taken at once */
    if (gs_java_post(side, GS_JAVA_RUN, number, held.ticket))
        gs_java_wait_held(&held);
    else
        gs_java_forget_held(&held); /* the virtual machine has ended */
}

/* On the library's dispatcher. */
static void released(void *argument) {
    uint64_t number = 0;
    gs_java_side *side = gs_java_side_of((uint64_t)(uintptr_t)argument, &number);
    gs_java_post(side, GS_JAVA_RELEASED, number, 0);
}

gs_status_t gs_java_graph_keep(gs_java_side *side, gs_graph_t graph, uint64_t number) {
    if (gs_java_is_closed(side)) return GS_ERROR_SHUTDOWN;
    return gs_graph_keep(graph, released, (void *)(uintptr_t)gs_java_argument(side, number));
}

gs_status_t gs_java_defer(gs_java_side *side, gs_stream_t stream, uint64_t number) {
    if (gs_java_is_closed(side)) return GS_ERROR_SHUTDOWN;
    return gs_stream_defer(stream, released, (void *)(uintptr_t)gs_java_argument(side, number));
}

uint64_t gs_java_host_function(void) { return (uint64_t)(uintptr_t)run_and_wait; }

void gs_java_ran(uint64_t ticket) { gs_java_release_held(ticket); }
