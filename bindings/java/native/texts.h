/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that the library writes piece by piece, as a whole. */
#ifndef GPUSTREAM_JAVA_TEXTS_H
#define GPUSTREAM_JAVA_TEXTS_H

#include "gates.h"

/* gs_graph_write_dot() and gs_trace_write(): out receives the address of the text, which gs_java_free() ends, and its
   size, or zeros. Also GS_ERROR_OUT_OF_MEMORY. */
GS_JAVA_API gs_status_t gs_java_graph_dot(gs_graph_t graph, uint64_t out[2]);
GS_JAVA_API gs_status_t gs_java_trace_text(uint64_t out[2]);
GS_JAVA_API void gs_java_free(void *text);

#endif
