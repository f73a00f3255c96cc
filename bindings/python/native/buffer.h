/* SPDX-License-Identifier: Apache-2.0 */
/* gpustream.Buffer: bytes on a device or in page-locked memory, a part of another buffer, or memory of another library. */
#ifndef GPUSTREAM_PYTHON_BUFFER_H
#define GPUSTREAM_PYTHON_BUFFER_H

#include "dtypes.h"
#include "threads.h"

enum { GS_PY_OWN_MEMORY, GS_PY_PART, GS_PY_FOREIGN_MEMORY };
enum { GS_PY_ON_DEVICE, GS_PY_PINNED, GS_PY_PAGEABLE };

typedef struct gs_py_buffer_user {
    gs_stream_t stream; /* a reference */
    int recorded;       /* by record_stream(): it may be given work at any time until the memory is freed */
} gs_py_buffer_user;

typedef struct gs_py_buffer {
    PyObject ob_base;
    char *address; /* NULL: closed */
    char *
        left; /* the address of a closed buffer that a graph uses: its memory ends with the object, which the graph keeps */
    Py_ssize_t bytes;
    gs_stream_t stream;       /* a reference of its own; a part has none and goes by its whole */
    PyObject *owner;          /* of a part: the whole, a buffer; of foreign memory: what keeps it */
    gs_py_buffer_user *users; /* other streams that use the memory */
    uint32_t user_count;
    uint32_t exports; /* views of the buffer protocol and tensors of DLPack that point here */
    gs_event_t begun; /* recorded behind the allocation when another stream first used the memory; NULL: none has */
    uint64_t capture; /* number of the capture in which it was allocated, whose graph has the memory; 0: none */
    const gs_py_dtype *dtype;
    Py_ssize_t *shape; /* NULL: one axis */
    int ndim;
    uint8_t kind;
    uint8_t place;
    uint8_t readonly;
    uint8_t per_thread; /* its stream is another one on each thread */
    uint8_t in_graph;   /* a graph keeps the object */
    PyObject *weak_references;
} gs_py_buffer;

extern GS_PY_HIDDEN PyTypeObject *gs_py_buffer_type;

static inline gs_py_buffer *gs_py_buffer_of(PyObject *object) { return (gs_py_buffer *)object; }

/* Stands for the address of memory of no bytes. NULL stands for a closed buffer. */
extern GS_PY_HIDDEN char gs_py_no_memory[];

/* The buffer that has the memory. Of a part that is not closed. */
static inline gs_py_buffer *gs_py_whole(gs_py_buffer *self) {
    return self->kind == GS_PY_PART && self->owner ? (gs_py_buffer *)self->owner : self;
}

static inline int gs_py_buffer_is_closed(gs_py_buffer *self) { return !self->address || !gs_py_whole(self)->address; }

/* Without the GIL a call locks its buffer, and with it the buffer that has the memory, as the GIL would for the same calls.
   GS_PY_LOCKING(type, function, (parameters), (arguments)) makes such a form of a function whose object is `self`,
   and GS_PY_LOCKED(function) names it; GS_PY_PROPERTY() is an entry for a getter. With the GIL they are the function itself. */
#ifdef Py_GIL_DISABLED
typedef struct gs_py_buffer_lock {
    PyCriticalSection2 section;
    PyObject *whole;
} gs_py_buffer_lock;

static inline void gs_py_buffer_lock_begin(gs_py_buffer_lock *lock, PyObject *self) {
    GS_PY_OBJECT_LOCK(self);
    lock->whole = Py_NewRef((PyObject *)gs_py_whole(gs_py_buffer_of(self)));
    GS_PY_OBJECT_UNLOCK();
    PyCriticalSection2_Begin(&lock->section, self, lock->whole);
}

static inline void gs_py_buffer_lock_end(gs_py_buffer_lock *lock) {
    PyCriticalSection2_End(&lock->section);
    Py_DECREF(lock->whole);
}

PyObject *gs_py_buffer_get_locked(PyObject *self, void *get);

#define GS_PY_LOCKING(result_type, function, parameters, arguments)                                                    \
    static result_type locked_##function parameters {                                                                  \
        gs_py_buffer_lock lock;                                                                                        \
        gs_py_buffer_lock_begin(&lock, self);                                                                          \
        result_type result = function arguments;                                                                       \
        gs_py_buffer_lock_end(&lock);                                                                                  \
        return result;                                                                                                 \
    }
#define GS_PY_LOCKED(function) locked_##function
#define GS_PY_PROPERTY(name, get, doc) {name, gs_py_buffer_get_locked, NULL, doc, (void *)(get)}
#else
#define GS_PY_LOCKING(result_type, function, parameters, arguments)
#define GS_PY_LOCKED(function) function
#define GS_PY_PROPERTY(name, get, doc) {name, get, NULL, doc, NULL}
#endif

/* 0, or -1 with InvalidHandleError set: it was closed. */
int gs_py_buffer_check(gs_py_buffer *self);

static inline Py_ssize_t gs_py_buffer_extent(gs_py_buffer *self, int axis) {
    return self->shape ? self->shape[axis] : self->bytes / gs_py_dtype_size(self->dtype);
}

/* Whether code of the host can read the memory: 1, 0, or -1 with the exception set. */
int gs_py_buffer_is_on_host(gs_py_buffer *self);

/* Whether a stream is being captured: 1 or 0. 0, or -1 with the exception set. */
int gs_py_is_capturing(gs_stream_t stream, int32_t *out);

/* Waits until the streams that use the memory have done their work. 0, or -1 with the exception set. */
int gs_py_buffer_wait(gs_py_buffer *self);

/* A new object of bytes without gaps; takes over nothing. `shape` is copied, NULL: one axis. NULL with the exception. */
gs_py_buffer *gs_py_buffer_new(PyTypeObject *type, char *address, Py_ssize_t bytes, const gs_py_dtype *dtype, int ndim,
                               const Py_ssize_t *shape);

/* Foreign memory, whose `owner` is kept until the stream's work is done. Retains both. */
PyObject *gs_py_buffer_of_foreign(char *address, Py_ssize_t bytes, gs_stream_t stream, PyObject *owner, int place,
                                  int readonly, const gs_py_dtype *dtype, int ndim, const Py_ssize_t *shape);

/* One more view, or one fewer, of those that keep a buffer from being closed. */
void gs_py_buffer_count_export(gs_py_buffer *self, int change);

/* ---- the class, and the module's functions ---------------------------------------------------------------------- */
int gs_py_make_buffer_type(void);

extern GS_PY_HIDDEN PyGetSetDef gs_py_buffer_properties[];

/* _part(start, bytes, dtype, shape), _to_bytes(stream), _copy_from(object, stream): buffer_parts.c */
PyObject *gs_py_buffer_part(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
PyObject *gs_py_buffer_to_bytes(PyObject *self, PyObject *stream);
PyObject *gs_py_buffer_copy_from(PyObject *self, PyObject *const *arguments, Py_ssize_t count);
int gs_py_buffer_get(PyObject *self, Py_buffer *view, int flags);
void gs_py_buffer_release(PyObject *self, Py_buffer *view);

/* buffer_of(address, bytes, stream, owner, readonly): another library's device memory. */
PyObject *gs_py_buffer_from_address(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

/* ---- the end: buffer_users.c ------------------------------------------------------------------------------------ */

/* Frees the memory in the order of its streams; the buffer is closed from then on. There is no exception yet. 0, or -1 with
   the exception set. */
int gs_py_buffer_free(gs_py_buffer *self);

/* ---- the streams that use it: buffer_users.c -------------------------------------------------------------------- */

/* record_stream(stream) */
PyObject *gs_py_buffer_record_stream(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

/* _use(stream): the stream is about to use the memory; None: the current one of the device. Returns it. */
PyObject *gs_py_buffer_use(PyObject *self, PyObject *stream);

/* _streams(): the stream of the allocation, and those that have used the memory. */
PyObject *gs_py_buffer_streams(PyObject *self, PyObject *unused);

/* The stream that stands for the buffer's where another thread may be the one that asks. */
gs_status_t gs_py_buffer_stream_for_all(const gs_py_buffer *self, gs_stream_t *out);

/* ---- the beginning: buffer_make.c ------------------------------------------------------------------------------- */
typedef struct gs_py_buffer_request {
    size_t bytes;
    gs_device_t device;
    gs_stream_t stream; /* NULL: the device's current one */
    PyObject *owner;    /* of the stream, a reference; or NULL */
    gs_pool_t pool;     /* NULL: the current one */
    int place;
} gs_py_buffer_request;

/* Where the memory is that the thread's current pool of the stream's device gives. 0, or -1 with the exception set. */
int gs_py_place_in_current_pool(gs_stream_t stream, int *out);

/* Returns 0 or -1. The caller drops out->owner. */
int gs_py_buffer_request_from(PyObject *const *arguments, Py_ssize_t count, PyObject *names, gs_py_buffer_request *out);
int gs_py_buffer_request_from_tuple(PyObject *tuple, PyObject *dict, gs_py_buffer_request *out);

#endif
