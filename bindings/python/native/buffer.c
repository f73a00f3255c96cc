/* SPDX-License-Identifier: Apache-2.0 */
#include "buffer.h"

#include "dlpack.h"
#include "errors.h"
#include "gil.h"
#include "known_streams.h"
#include "types.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *gs_py_buffer_type;
_Alignas(16) char gs_py_no_memory[16]; /* of no element type it begins at a wrong place */

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

/* Only parts refer to an object, their whole: the garbage collector need not know buffers that own memory. */
static gs_py_buffer *allocate(PyTypeObject *type) {
    if (GS_PY_UNLIKELY(type != gs_py_buffer_type)) return (gs_py_buffer *)type->tp_alloc(type, 0);
    gs_py_buffer *self = PyObject_GC_New(gs_py_buffer, type);
    if (self) memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
    return self;
}

gs_py_buffer *gs_py_buffer_new(PyTypeObject *type, char *address, Py_ssize_t bytes, const gs_py_dtype *dtype, int ndim,
                               const Py_ssize_t *shape) {
    Py_ssize_t *copy = NULL;
    if (shape && ndim != 1) {
        copy = PyMem_Malloc(((size_t)ndim + 1) * sizeof *copy); /* of no axes, too: NULL would mean one */
        if (!copy) return (gs_py_buffer *)PyErr_NoMemory();
        memcpy(copy, shape, (size_t)ndim * sizeof *copy);
    }
    gs_py_buffer *self = allocate(type);
    if (!self) return PyMem_Free(copy), NULL;
    self->address = address;
    self->bytes = bytes;
    self->dtype = dtype;
    self->ndim = ndim;
    self->shape = copy;
    return self;
}

/* The number of the capture in which the stream has just allocated. Default streams cannot be captured. */
static void note_capture(gs_py_buffer *self) {
    gs_capture_info_t info = {.struct_size = sizeof info};
    gs_status_t status;
    int32_t capturing;
    int64_t id;
    if (gs_stream_id(self->stream, &id) == GS_OK && id == 0) return;
    GS_PY_DRIVER(status = gs_stream_is_capturing(self->stream, &capturing));
    if (GS_PY_LIKELY(status == GS_OK && !capturing)) return;
    GS_PY_DRIVER(status = gs_stream_capture_info(self->stream, &info));
    if (status == GS_OK) self->capture = info.id;
}

/* The stream of a request, with a reference of its own. */
static int find_stream(const gs_py_buffer_request *request, gs_stream_t *out) {
    gs_status_t status = GS_OK;
    *out = request->stream;
    if (!*out) status = gs_current_stream(request->device, out);
    if (status == GS_OK) status = gs_stream_retain(*out);
    return gs_py_check(status);
}

static PyObject *make(PyTypeObject *type, const gs_py_buffer_request *request) {
    gs_py_buffer *self = gs_py_buffer_new(type, NULL, (Py_ssize_t)request->bytes, &gs_py_dtype_bytes, 1, NULL);
    gs_status_t status;
    void *address = NULL;
    int64_t id;
    if (!self) return NULL;
    if (find_stream(request, &self->stream) < 0) return self->stream = NULL, Py_DECREF(self), NULL;
    gs_stream_t stream = self->stream;
    int place = request->place;
    if (GS_PY_LIKELY(!request->pool) && gs_py_place_in_current_pool(stream, &place) < 0) return Py_DECREF(self), NULL;
    self->place = (uint8_t)place;
    if (GS_PY_UNLIKELY(request->bytes == 0)) return self->address = gs_py_no_memory, (PyObject *)self;
    if (GS_PY_LIKELY(!request->pool))
        GS_PY_DRIVER(status = gs_malloc_async(request->bytes, stream, &address));
    else
        GS_PY_DRIVER(status = gs_pool_malloc(request->pool, request->bytes, stream, &address));
    if (GS_PY_UNLIKELY(status != GS_OK)) {
        gs_py_fail(status);
        Py_DECREF(self);
        return NULL;
    }
    self->address = address;
    self->per_thread = gs_stream_id(stream, &id) == GS_OK && id == 2;
    note_capture(self);
    return (PyObject *)self;
}

static PyObject *make_and_drop(PyTypeObject *type, gs_py_buffer_request *request) {
    PyObject *self = make(type, request);
    Py_XDECREF(request->owner);
    return self;
}

/* What gpustream.Buffer(...) calls. */
static PyObject *vectorcall(PyObject *callable, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    gs_py_buffer_request request;
    if (gs_py_buffer_request_from(arguments, PyVectorcall_NARGS(nargsf), names, &request) < 0) return NULL;
    return make_and_drop((PyTypeObject *)callable, &request);
}

/* What derived classes call. */
static PyObject *buffer_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    gs_py_buffer_request request;
    if (gs_py_buffer_request_from_tuple(tuple, dict, &request) < 0) return NULL;
    return make_and_drop(type, &request);
}

static void drop_streams(gs_py_buffer *self) {
    for (uint32_t i = 0; i < self->user_count; ++i) gs_stream_destroy(self->users[i].stream);
    free(self->users);
    self->users = NULL;
    self->user_count = 0;
    if (self->begun) (void)gs_event_destroy(self->begun);
    self->begun = NULL;
    gs_stream_t stream = self->stream;
    self->stream = NULL;
    if (stream) GS_PY_DRIVER((void)gs_stream_destroy(stream));
}

static void dealloc(PyObject *object) {
    gs_py_buffer *self = gs_py_buffer_of(object);
    PyTypeObject *type = Py_TYPE(object);
    PyObject *failure, *value, *traceback;
    PyObject_GC_UnTrack(object);
    if (GS_PY_UNLIKELY(self->weak_references != NULL)) PyObject_ClearWeakRefs(object);
    PyErr_Fetch(&failure, &value, &traceback);
    if (!self->address) self->address = self->left;
    if (gs_py_buffer_free(self) < 0) PyErr_WriteUnraisable(NULL);
    PyErr_Restore(failure, value, traceback);
    drop_streams(self);
    PyMem_Free(self->shape);
    type->tp_free(object);
    Py_DECREF(type);
}

static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(gs_py_buffer_of(self)->owner);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

/* Of a cycle: only parts can be in one. */
static int clear(PyObject *self) {
    if (gs_py_buffer_of(self)->kind != GS_PY_PART) return 0;
    gs_py_buffer_of(self)->address = NULL;
    Py_CLEAR(gs_py_buffer_of(self)->owner);
    return 0;
}

static PyObject *buffer_close(PyObject *object, PyObject *unused) {
    (void)unused;
    gs_py_buffer *self = gs_py_buffer_of(object);
    if (!self->address) Py_RETURN_NONE;
    if (GS_PY_LOAD(self->exports)) {
        PyErr_SetString(PyExc_BufferError, "the buffer cannot be closed: other objects use its memory");
        return NULL;
    }
    if (self->in_graph) {
        self->left = self->address;
        self->address = NULL;
    } else if (gs_py_buffer_free(self) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* A graph is about to keep the object, so that close() leaves the memory to the graph. */
static PyObject *keep_in_graph(PyObject *object, PyObject *unused) {
    (void)unused;
    gs_py_buffer_of(object)->in_graph = 1;
    gs_py_whole(gs_py_buffer_of(object))->in_graph = 1;
    Py_RETURN_NONE;
}

/* ---- what all files use ----------------------------------------------------------------------------------------- */

int gs_py_buffer_check(gs_py_buffer *self) {
    if (GS_PY_LIKELY(!gs_py_buffer_is_closed(self))) return 0;
    gs_py_fail_with(GS_ERROR_INVALID_HANDLE, "the buffer was closed");
    return -1;
}

int gs_py_buffer_is_on_host(gs_py_buffer *self) {
    int type, number;
    if (gs_py_whole(self)->place != GS_PY_ON_DEVICE) return 1;
    PyObject *device = PyObject_CallMethod((PyObject *)self, "__dlpack_device__", NULL); /* the package knows */
    if (!device) return -1;
    const int read = PyArg_ParseTuple(device, "ii", &type, &number);
    Py_DECREF(device);
    return read ? type == GS_DL_CPU : -1;
}

int gs_py_buffer_wait(gs_py_buffer *self) {
    PyObject *streams = gs_py_buffer_streams((PyObject *)self, NULL), *done = NULL;
    for (Py_ssize_t i = 0; streams && i < PyList_GET_SIZE(streams) && (i == 0 || done); ++i) {
        Py_XDECREF(done);
        done = PyObject_CallMethod(PyList_GET_ITEM(streams, i), "synchronize", NULL);
    }
    Py_XDECREF(streams);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

PyObject *gs_py_buffer_of_foreign(char *address, Py_ssize_t bytes, gs_stream_t stream, PyObject *owner, int place,
                                  int readonly, const gs_py_dtype *dtype, int ndim, const Py_ssize_t *shape) {
    gs_py_buffer *self = gs_py_buffer_new(gs_py_buffer_type, address, bytes, dtype, ndim, shape);
    if (!self) return NULL;
    self->kind = GS_PY_FOREIGN_MEMORY;
    self->place = (uint8_t)place;
    self->readonly = (uint8_t)readonly;
    if (gs_py_check(gs_stream_retain(stream)) < 0) return Py_DECREF(self), NULL;
    self->stream = stream;
    self->owner = Py_NewRef(owner);
    PyObject_GC_Track((PyObject *)self);
    return (PyObject *)self;
}

void gs_py_buffer_count_export(gs_py_buffer *self, int change) {
    gs_py_buffer *whole = gs_py_whole(self);
    (void)GS_PY_CHANGED(self->exports, (uint32_t)change);
    if (whole != self) (void)GS_PY_CHANGED(whole->exports, (uint32_t)change);
}

/* ---- the class -------------------------------------------------------------------------------------------------- */

#ifdef Py_GIL_DISABLED
PyObject *gs_py_buffer_get_locked(PyObject *self, void *get) {
    gs_py_buffer_lock lock;
    gs_py_buffer_lock_begin(&lock, self);
    PyObject *result = ((getter)get)(self, NULL);
    gs_py_buffer_lock_end(&lock);
    return result;
}
#endif

GS_PY_LOCKING(PyObject *, buffer_close, (PyObject * self, PyObject *unused), (self, unused))
GS_PY_LOCKING(PyObject *, keep_in_graph, (PyObject * self, PyObject *unused), (self, unused))
GS_PY_LOCKING(PyObject *, gs_py_buffer_record_stream,
              (PyObject * self, PyObject *const *arguments, Py_ssize_t count, PyObject *names),
              (self, arguments, count, names))
GS_PY_LOCKING(PyObject *, gs_py_buffer_part, (PyObject * self, PyObject *const *arguments, Py_ssize_t count),
              (self, arguments, count))
GS_PY_LOCKING(PyObject *, gs_py_buffer_to_bytes, (PyObject * self, PyObject *stream), (self, stream))
GS_PY_LOCKING(PyObject *, gs_py_buffer_copy_from, (PyObject * self, PyObject *const *arguments, Py_ssize_t count),
              (self, arguments, count))
GS_PY_LOCKING(PyObject *, gs_py_buffer_use, (PyObject * self, PyObject *stream), (self, stream))
GS_PY_LOCKING(PyObject *, gs_py_buffer_streams, (PyObject * self, PyObject *unused), (self, unused))
GS_PY_LOCKING(PyObject *, gs_py_buffer_to_capsule, (PyObject * self, PyObject *const *arguments, Py_ssize_t count),
              (self, arguments, count))
GS_PY_LOCKING(int, gs_py_buffer_get, (PyObject * self, Py_buffer *view, int flags), (self, view, flags))

static PyMethodDef methods[] = {
    {"close", GS_PY_LOCKED(buffer_close), METH_NOARGS,
     "close($self, /)\n--\n\n"
     "Free the memory in stream order now, as dropping the object does. A second call does nothing.\n\n"
     "Parts cannot be used any more; closing a part leaves the memory alone.\n\n"
     "Raises BufferError: a memoryview, an array or a tensor of another library still refers to the memory.\n\n"
     "Does not block. See gs_free_async() in gpustream.h."},
    {"record_stream", GS_PY_FAST(GS_PY_LOCKED(gs_py_buffer_record_stream)), METH_FASTCALL | METH_KEYWORDS,
     "record_stream($self, stream)\n--\n\n"
     "Note that another stream uses the memory by its address: it is freed once that stream, too, has done what it has "
     "then.\n\n"
     "No stream waits, also for the allocation. The methods note their streams themselves. Of a part it counts for the "
     "whole.\n\n"
     "Raises TypeError: stream is not a stream. gpustream.InvalidHandleError: the buffer or the stream was closed.\n\n"
     "Does not block. See gs_free_after() in gpustream.h."},
    {"_part", GS_PY_FAST(GS_PY_LOCKED(gs_py_buffer_part)), METH_FASTCALL, NULL},
    {"_to_bytes", GS_PY_LOCKED(gs_py_buffer_to_bytes), METH_O, NULL},
    {"_copy_from", GS_PY_FAST(GS_PY_LOCKED(gs_py_buffer_copy_from)), METH_FASTCALL, NULL},
    {"_use", GS_PY_LOCKED(gs_py_buffer_use), METH_O, NULL},
    {"_keep_in_graph", GS_PY_LOCKED(keep_in_graph), METH_NOARGS, NULL},
    {"_streams", GS_PY_LOCKED(gs_py_buffer_streams), METH_NOARGS, NULL},
    {"_to_capsule", GS_PY_FAST(GS_PY_LOCKED(gs_py_buffer_to_capsule)), METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(gs_py_buffer, weak_references), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, (void *)buffer_new},
                              {Py_tp_dealloc, (void *)dealloc},
                              {Py_tp_traverse, (void *)traverse},
                              {Py_tp_clear, (void *)clear},
                              {Py_tp_methods, methods},
                              {Py_tp_members, members},
                              {Py_tp_getset, gs_py_buffer_properties},
                              {Py_bf_getbuffer, (void *)GS_PY_LOCKED(gs_py_buffer_get)},
                              {Py_bf_releasebuffer, (void *)gs_py_buffer_release},
                              {0, NULL}};

int gs_py_make_buffer_type(void) {
    gs_py_buffer_type =
        gs_py_make_type("gpustream.Buffer", sizeof(gs_py_buffer), Py_TPFLAGS_HAVE_GC, NULL, slots, vectorcall);
    return gs_py_buffer_type ? 0 : -1;
}
