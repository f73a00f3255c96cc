/* SPDX-License-Identifier: Apache-2.0 */
/* The streams that use a buffer. The first use in another stream than that of the allocation is ordered behind the
   allocation; between uses in different streams nothing waits. The memory is freed behind all of them. */
#include "buffer.h"

#include "arguments.h"
#include "errors.h"
#include "gil.h"
#include "known_streams.h"
#include "notifications.h"
#include "waiting.h"

#include <stdlib.h>

enum { MANY_USERS = 16 };

static gs_py_signature record_stream_parameters = GS_PY_ONE_REQUIRED("record_stream", "stream");

/* A per-thread stream is another one on each thread. The default stream's work comes after that of all of them. */
static gs_status_t stream_for_all(gs_stream_t stream, int is_per_thread, gs_stream_t *out) {
    gs_device_t device;
    *out = stream;
    if (!is_per_thread) return GS_OK;
    const gs_status_t status = gs_stream_device(stream, &device);
    return status == GS_OK ? gs_default_stream(device, out) : status;
}

gs_status_t gs_py_buffer_stream_for_all(const gs_py_buffer *self, gs_stream_t *out) {
    return stream_for_all(self->stream, self->per_thread, out);
}

static gs_py_buffer_user *find_user(const gs_py_buffer *self, gs_stream_t stream) {
    for (uint32_t i = 0; i < self->user_count; ++i)
        if (self->users[i].stream == stream) return &self->users[i];
    return NULL;
}

static int add_user(gs_py_buffer *self, gs_stream_t stream, int recorded) {
    if (stream == self->stream) return 0;
    gs_py_buffer_user *user = find_user(self, stream);
    if (user) return user->recorded |= recorded, 0;
    gs_py_buffer_user *more = realloc(self->users, (self->user_count + 1) * sizeof *more);
    if (!more) return PyErr_NoMemory(), -1;
    self->users = more;
    if (gs_py_check(gs_stream_retain(stream)) < 0) return -1;
    more[self->user_count++] = (gs_py_buffer_user){stream, recorded};
    return 0;
}

/* A buffer that lives long would keep every stream that ever used it: those that have done their work are forgotten. Other
   threads may run in between, and add some. */
static int forget_idle(gs_py_buffer *self) {
    gs_py_buffer_user *all = self->users;
    const uint32_t count = self->user_count;
    int result = 0;
    self->users = NULL;
    self->user_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        int32_t done = 0;
        gs_status_t status = GS_OK;
        if (!all[i].recorded) GS_PY_DRIVER(status = gs_stream_query(all[i].stream, &done));
        if (!(status == GS_OK && done) && add_user(self, all[i].stream, all[i].recorded) < 0) result = -1;
        GS_PY_DRIVER((void)gs_stream_destroy(all[i].stream));
    }
    free(all);
    return result;
}

int gs_py_is_capturing(gs_stream_t stream, int32_t *out) {
    gs_status_t status;
    *out = 0;
    GS_PY_DRIVER(status = gs_stream_is_capturing(stream, out));
    return gs_py_check(status);
}

/* Records the event that later uses are ordered behind. */
static int note_begin(gs_py_buffer *self) {
    gs_stream_t stream;
    gs_event_t event;
    gs_status_t status;
    if (gs_py_check(gs_py_buffer_stream_for_all(self, &stream)) < 0) return -1;
    if (gs_py_check(gs_event_create(0, &event)) < 0) return -1;
    GS_PY_DRIVER(status = gs_event_record(event, stream));
    if (status == GS_OK && !self->begun) return self->begun = event, 0;
    (void)gs_event_destroy(event); /* the record failed, or another thread was first */
    return gs_py_check(status);
}

static int is_in_capture(gs_stream_t stream, uint64_t capture) {
    gs_capture_info_t info = {.struct_size = sizeof info};
    gs_status_t status;
    GS_PY_DRIVER(status = gs_stream_capture_info(stream, &info));
    return status == GS_OK && info.state == GS_CAPTURE_STATE_ACTIVE && info.id == capture;
}

/* Memory that a capture has allocated: a stream that is to use it takes part in the capture. */
static int order_in_capture(gs_py_buffer *self, gs_stream_t stream) {
    gs_status_t status;
    if (!is_in_capture(self->stream, self->capture)) return 0;
    GS_PY_DRIVER(status = gs_stream_wait_stream(stream, self->stream));
    return gs_py_check(status);
}

/* Orders the stream behind the allocation. A graph cannot wait for work from outside of it, so the host does. */
static int order(gs_py_buffer *self, gs_stream_t stream) {
    int32_t by_graph, begin_is_hidden = 0;
    gs_status_t status;
    if (self->capture) return order_in_capture(self, stream);
    if (gs_py_is_capturing(stream, &by_graph) < 0) return -1;
    if (!self->begun && gs_py_is_capturing(self->stream, &begin_is_hidden) < 0) return -1;
    if (begin_is_hidden && by_graph) return 0;
    if (begin_is_hidden) {
        gs_py_fail_with(GS_ERROR_CAPTURING,
                        "the buffer's stream is being captured, so that another one cannot wait for "
                        "the allocation: use the buffer there before, or record_stream() it");
        return -1;
    }
    if (!self->begun && note_begin(self) < 0) return -1;
    if (by_graph && gs_py_warn_of_sync(0) < 0) return -1;
    if (by_graph)
        GS_PY_BLOCKING(status = gs_event_synchronize(self->begun));
    else
        GS_PY_DRIVER(status = gs_stream_wait_event(stream, self->begun));
    return gs_py_check(status);
}

/* Per-thread streams are meant by the default stream, as where they free; and each thread orders its own. */
static int use(gs_py_buffer *self, gs_stream_t stream) {
    gs_stream_t noted;
    int64_t id;
    if (GS_PY_LIKELY(stream == self->stream)) return 0;
    if (GS_PY_LIKELY(find_user(self, stream) != NULL) || self->bytes == 0) return 0;
    if (gs_py_check(gs_stream_id(stream, &id)) < 0 || gs_py_check(stream_for_all(stream, id == 2, &noted)) < 0)
        return -1;
    if (order(self, stream) < 0) return -1;
    if (self->user_count >= MANY_USERS && (self->user_count & (self->user_count - 1)) == 0 && forget_idle(self) < 0)
        return -1;
    return add_user(self, noted, 0);
}

PyObject *gs_py_buffer_use(PyObject *object, PyObject *given) {
    gs_py_buffer *self = gs_py_buffer_of(object), *whole;
    PyObject *owner = NULL;
    gs_stream_t stream = NULL;
    gs_device_t device;
    if (gs_py_buffer_check(self) < 0) return NULL;
    whole = gs_py_whole(self);
    if (given != Py_None) {
        if (gs_py_stream_from(given, "stream", &stream, &owner) < 0) return NULL;
        if (!stream) return gs_py_fail_with(GS_ERROR_INVALID_HANDLE, "the stream was closed"), NULL;
        given = gs_py_is_stream(given) ? Py_NewRef(given) : gs_py_known_object(stream);
    } else {
        if (gs_py_check(gs_stream_device(whole->stream, &device)) < 0) return NULL;
        if (gs_py_check(gs_current_stream(device, &stream)) < 0) return NULL;
        given = gs_py_known_object(stream);
    }
    gs_py_buffer_count_export(self, 1); /* other threads may run in between */
    if (given && use(whole, stream) < 0) Py_CLEAR(given);
    gs_py_buffer_count_export(self, -1);
    Py_XDECREF(owner);
    return given;
}

PyObject *gs_py_buffer_streams(PyObject *object, PyObject *unused) {
    (void)unused;
    gs_py_buffer *whole = gs_py_whole(gs_py_buffer_of(object));
    if (gs_py_buffer_check(gs_py_buffer_of(object)) < 0) return NULL;
    PyObject *all = PyList_New((Py_ssize_t)whole->user_count + 1);
    for (Py_ssize_t i = 0; all && i < PyList_GET_SIZE(all); ++i) {
        PyObject *one = gs_py_known_object(i == 0 ? whole->stream : whole->users[i - 1].stream);
        if (one)
            PyList_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

PyObject *gs_py_buffer_record_stream(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *given, *owner;
    gs_stream_t stream;
    int64_t id;
    if (gs_py_bind_one(&record_stream_parameters, arguments, count, names, &given) < 0) return NULL;
    if (gs_py_buffer_check(gs_py_buffer_of(self)) < 0) return NULL;
    if (gs_py_stream_from(given, "stream", &stream, &owner) < 0) return NULL;
    int result = gs_py_check(gs_stream_id(stream, &id));
    if (result == 0) result = gs_py_check(stream_for_all(stream, id == 2, &stream));
    if (result == 0) result = add_user(gs_py_whole(gs_py_buffer_of(self)), stream, 1);
    Py_XDECREF(owner);
    if (result < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- the end -------------------------------------------------------------------------------------------------------- */

/* How the memory of a buffer ends: freed in the order of the streams that use it, which keeps it for a graph whose capture is
   under way, or left to the graph that it belongs to. */

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
