/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of Java in graphs and streams, and what graphs keep reachable. */
#ifndef GPUSTREAM_JAVA_GRAPHS_H
#define GPUSTREAM_JAVA_GRAPHS_H

#include "gates.h"

/* Address of the native function that stands for one of Java in host nodes of graphs and in gs_stream_launch_host(); its
   argument is a gs_java_argument(). The backend's thread waits until the function has run, so the work behind it does,
   too. */
GS_JAVA_API uint64_t gs_java_host_function(void);

/* Java has run the function of a note with this ticket. */
GS_JAVA_API void gs_java_ran(uint64_t ticket);

/* gs_graph_keep() and gs_stream_defer(): in the end a note of kind GS_JAVA_RELEASED with this number. Also
   GS_ERROR_SHUTDOWN, once closed. */
GS_JAVA_API gs_status_t gs_java_graph_keep(gs_java_side *side, gs_graph_t graph, uint64_t number);
GS_JAVA_API gs_status_t gs_java_defer(gs_java_side *side, gs_stream_t stream, uint64_t number);

#endif
