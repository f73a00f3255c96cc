/* SPDX-License-Identifier: Apache-2.0 */
/* How the memory of a buffer ends: freed in the order of the streams that use it, which keeps it for a graph whose capture is
   under way, or left to the graph that it belongs to. */
#include "buffer.h"

#include "errors.h"
#include "gil.h"
#include "graph_keep.h"

#include <stdlib.h>

static gs_status_t free_in_order(const gs_py_buffer *self, char *address) {
    gs_stream_t streams[8], *all = streams;
    gs_status_t status = gs_py_buffer_stream_for_all(self, &streams[0]);
    const size_t count = (size_t)self->user_count + 1;
    if (status != GS_OK) return status;
    if (GS_PY_LIKELY(count == 1)) {
        GS_PY_DRIVER(status = gs_free_async(address, streams[0]));
        if (status != GS_ERROR_CAPTURING) return status;
    }
    if (count > sizeof streams / sizeof *streams) {
        all = malloc(count * sizeof *all);
        if (!all) return GS_ERROR_OUT_OF_MEMORY;
        all[0] = streams[0];
    }
    for (size_t i = 1; i < count; ++i) all[i] = self->users[i - 1].stream;
    GS_PY_DRIVER(status = gs_free_after(address, all, count));
    if (all != streams) free(all);
    return status;
}

static int is_in_capture(gs_stream_t stream, uint64_t capture) {
    gs_capture_info_t info = {.struct_size = sizeof info};
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_capture_info(stream, &info));
    return status == GS_OK && info.state == GS_CAPTURE_STATE_ACTIVE && info.id == capture;
}

/* Memory that a capture has allocated: a node of the same graph frees it, as long as the capture goes on, if the current
   stream takes part in it. Other streams may have been joined already. Else, and afterwards, it is the graph's. */
static gs_status_t free_in_capture(const gs_py_buffer *self, char *address) {
    gs_device_t device;
    gs_stream_t stream;
    gs_status_t status = gs_stream_device(self->stream, &device);
    if (status == GS_OK) status = gs_current_stream(device, &stream);
    if (status != GS_OK || !is_in_capture(stream, self->capture)) return GS_OK;
    for (uint32_t i = 0; i <= self->user_count && status == GS_OK; ++i) {
        gs_stream_t user = i == 0 ? self->stream : self->users[i - 1].stream;
        if (user != stream && is_in_capture(user, self->capture))
            GS_PY_DRIVER(status = gs_stream_wait_stream(stream, user));
    }
    if (status == GS_OK) GS_PY_DRIVER(status = gs_free_async(address, stream));
    return status;
}

/* The memory has ended with the driver or the device, or is the parent process's. Other calls report that. */
static int is_gone(gs_status_t status) {
    return status == GS_ERROR_BAD_FORK || status == GS_ERROR_SHUTDOWN || status == GS_ERROR_STICKY ||
           status == GS_ERROR_CONTEXT_LOST;
}

static int free_own(gs_py_buffer *self, char *address) {
    const gs_status_t status = self->capture ? free_in_capture(self, address) : free_in_order(self, address);
    if (GS_PY_LIKELY(status == GS_OK) || is_gone(status)) return 0;
    gs_py_fail(status);
    return -1;
}

/* Foreign memory goes back when the work that may use it is done. */
static void let_go(gs_py_buffer *self) {
    PyObject *owner = self->owner;
    self->owner = NULL;
    if (!owner) return;
    for (uint32_t i = 0; i <= self->user_count; ++i) {
        gs_stream_t stream = i == 0 ? self->stream : self->users[i - 1].stream;
        int32_t done = 0;
        gs_status_t status;
        GS_PY_DRIVER(status = gs_stream_query(stream, &done));
        if (status == GS_OK && done) continue;
        /* In a forked child, or after the device was lost, no work is left that could use the memory. */
        if (gs_py_keep_in_stream(stream, owner) < 0) PyErr_Clear();
    }
    Py_DECREF(owner);
}

int gs_py_buffer_free(gs_py_buffer *self) {
    char *address = self->address;
    self->address = NULL;
    if (self->kind == GS_PY_PART)
        Py_CLEAR(self->owner);
    else if (self->kind == GS_PY_FOREIGN_MEMORY)
        let_go(self);
    else if (address && address != gs_py_no_memory)
        return free_own(self, address);
    return 0;
}
