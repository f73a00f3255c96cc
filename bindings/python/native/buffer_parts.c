/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of buffers, their bytes, and what the buffer protocol shows of memory that code of the host can read. */
#include "buffer.h"

#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "known_streams.h"
#include "notifications.h"

/* `out` has MOST_AXES places. Returns the number of axes, or -1 with the exception set. */
static int read_shape(PyObject *given, Py_ssize_t *out) {
    if (!PyTuple_Check(given)) return gs_py_wrong_type(NULL, "shape", "tuple", given);
    const Py_ssize_t count = PyTuple_GET_SIZE(given);
    if (count > MOST_AXES) return PyErr_Format(PyExc_ValueError, "a shape has at most %d axes", (int)MOST_AXES), -1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        int64_t extent;
        if (gs_py_signed_number(PyTuple_GET_ITEM(given, i), "shape", 0, PY_SSIZE_T_MAX, &extent) < 0) return -1;
        out[i] = (Py_ssize_t)extent;
    }
    return (int)count;
}

/* Whether elements of that shape have so many bytes. */
static int has_size(const Py_ssize_t *shape, int ndim, Py_ssize_t size, Py_ssize_t bytes) {
    for (int i = 0; i < ndim; ++i)
        if (shape[i] == 0) return bytes == 0; /* wherever it stands, and however large the others are */
    for (int i = 0; i < ndim; ++i) {
        if (size > bytes / shape[i]) return 0;
        size *= shape[i];
    }
    return size == bytes;
}

static PyObject *make_part(gs_py_buffer *self, Py_ssize_t start, Py_ssize_t bytes, const gs_py_dtype *dtype, int ndim,
                           const Py_ssize_t *shape) {
    gs_py_buffer *whole = gs_py_whole(self);
    char *address = self->address + start;
    if ((uintptr_t)address % dtype->alignment != 0)
        return PyErr_Format(PyExc_ValueError, "elements of %s must begin at a multiple of %d bytes", dtype->name,
                            (int)dtype->alignment);
    gs_py_buffer *part = gs_py_buffer_new(gs_py_buffer_type, address, bytes, dtype, ndim, shape);
    if (!part) return NULL;
    part->kind = GS_PY_PART;
    part->readonly = self->readonly;
    part->owner = Py_NewRef((PyObject *)whole);
    PyObject_GC_Track((PyObject *)part);
    return (PyObject *)part;
}

PyObject *gs_py_buffer_part(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    gs_py_buffer *self = gs_py_buffer_of(object);
    Py_ssize_t shape[MOST_AXES];
    int64_t start, bytes;
    int ndim = 1;
    if (count != 4) return PyErr_Format(PyExc_TypeError, "a start, a size, a type and a shape are expected"), NULL;
    if (gs_py_buffer_check(self) < 0) return NULL;
    if (gs_py_signed_number(arguments[0], "start", 0, self->bytes, &start) < 0) return NULL;
    if (gs_py_signed_number(arguments[1], "bytes", 0, self->bytes - start, &bytes) < 0) return NULL;
    const gs_py_dtype *dtype = gs_py_dtype_named(arguments[2]);
    if (!dtype) return NULL;
    const Py_ssize_t size = gs_py_dtype_size(dtype);
    if (arguments[3] != Py_None && (ndim = read_shape(arguments[3], shape)) < 0) return NULL;
    if (arguments[3] == Py_None && bytes % size != 0)
        return PyErr_Format(PyExc_ValueError, "%lld bytes are no whole number of elements of %s", (long long)bytes,
                            dtype->name);
    if (arguments[3] != Py_None && !has_size(shape, ndim, size, (Py_ssize_t)bytes))
        return PyErr_Format(PyExc_ValueError, "%lld bytes are not what elements of %s in shape %R have",
                            (long long)bytes, dtype->name, arguments[3]);
    return make_part(self, (Py_ssize_t)start, (Py_ssize_t)bytes, dtype, ndim, arguments[3] == Py_None ? NULL : shape);
}

/* A capture would only record the copy, and there is nothing to wait for. */
static int check_not_captured(gs_stream_t stream) {
    int32_t capturing;
    if (gs_py_is_capturing(stream, &capturing) < 0) return -1;
    if (!capturing) return 0;
    gs_py_fail_with(GS_ERROR_CAPTURING, "the stream is being captured: to_bytes() would wait for its work");
    return -1;
}

static int wait_for(gs_stream_t stream) {
    PyObject *object = gs_py_known_object(stream);
    PyObject *done = object ? PyObject_CallMethod(object, "synchronize", NULL) : NULL;
    Py_XDECREF(object);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

static PyObject *read_bytes(gs_py_buffer *self, gs_stream_t stream) {
    gs_status_t status;
    if (check_not_captured(stream) < 0) return NULL;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, self->bytes);
    if (!bytes || self->bytes == 0) return bytes;
    gs_py_buffer_count_export(self, 1); /* waiting lets other threads run */
    GS_PY_COPY(status = gs_memcpy_async(PyBytes_AS_STRING(bytes), self->address, (size_t)self->bytes, stream));
    int result = gs_py_check(status);
    if (result == 0 && (result = wait_for(stream)) < 0) {
        /* The copy may be under way. */
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        if (gs_py_keep_in_stream(stream, bytes) < 0) PyErr_WriteUnraisable(NULL);
        PyErr_Restore(type, value, traceback);
    }
    gs_py_buffer_count_export(self, -1);
    if (result < 0) Py_CLEAR(bytes);
    return bytes;
}

PyObject *gs_py_buffer_to_bytes(PyObject *object, PyObject *given) {
    gs_stream_t stream;
    PyObject *owner;
    if (gs_py_buffer_check(gs_py_buffer_of(object)) < 0) return NULL;
    if (gs_py_stream_from(given, "stream", &stream, &owner) < 0) return NULL;
    PyObject *bytes = read_bytes(gs_py_buffer_of(object), stream);
    Py_XDECREF(owner);
    return bytes;
}

static int check_sizes(gs_py_buffer *self, Py_ssize_t bytes) {
    if (bytes == self->bytes) return 0;
    PyErr_Format(PyExc_ValueError, "the buffer has %zd bytes, what is copied has %zd", self->bytes, bytes);
    return -1;
}

/* Whether elements are references to Python objects. Names of fields stand between colons. */
static int has_objects(const char *format) {
    for (int named = 0; format && *format; ++format) {
        if (*format == ':')
            named = !named;
        else if (*format == 'O' && !named)
            return 1;
    }
    return 0;
}

static int copy_from(gs_py_buffer *self, PyObject *seen, gs_stream_t stream) {
    const Py_buffer *view = PyMemoryView_GET_BUFFER(seen);
    gs_status_t status;
    int result = gs_py_buffer_check(self);
    if (result == 0 && !PyBuffer_IsContiguous(view, 'C')) {
        PyErr_SetString(PyExc_ValueError, "what is copied must be contiguous, as numpy.ascontiguousarray() makes it");
        result = -1;
    } else if (result == 0 && has_objects(view->format)) {
        PyErr_SetString(PyExc_TypeError, "what is copied has Python objects, which a device cannot use");
        result = -1;
    }
    if (result == 0) result = check_sizes(self, view->len);
    if (result < 0 || view->len == 0) return result;
    gs_py_buffer_count_export(self, 1); /* other threads run in between */
    GS_PY_COPY(status = gs_memcpy_async(self->address, view->buf, (size_t)view->len, stream));
    result = gs_py_check(status);
    if (result == 0) result = gs_py_keep_in_stream(stream, seen);
    gs_py_buffer_count_export(self, -1);
    return result;
}

PyObject *gs_py_buffer_copy_from(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    gs_stream_t stream;
    PyObject *owner;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "an object and a stream are expected"), NULL;
    if (gs_py_stream_from(arguments[1], "stream", &stream, &owner) < 0) return NULL;
    PyObject *seen = PyMemoryView_FromObject(arguments[0]);
    const int result = seen ? copy_from(gs_py_buffer_of(object), seen, stream) : -1;
    Py_XDECREF(seen);
    Py_XDECREF(owner);
    if (result < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- the buffer protocol ---------------------------------------------------------------------------------------- */

static int check_view(gs_py_buffer *self, int flags) {
    const int on_host = gs_py_buffer_is_on_host(self);
    if (on_host < 0) return -1;
    if (!on_host)
        PyErr_SetString(PyExc_BufferError, "code of the host cannot read the device's memory; to_bytes() copies it");
    else if (self->readonly && (flags & PyBUF_WRITABLE) == PyBUF_WRITABLE)
        PyErr_SetString(PyExc_BufferError, "the memory is read-only");
    else if (!self->dtype->format && (flags & PyBUF_FORMAT) == PyBUF_FORMAT)
        PyErr_Format(PyExc_BufferError, "the buffer protocol has no %s; use view('uint16')", self->dtype->name);
    else
        return 0;
    return -1;
}

/* Extents and, behind them, distances in bytes. */
static Py_ssize_t *layout(gs_py_buffer *self) {
    Py_ssize_t *all = PyMem_Malloc((2 * (size_t)self->ndim + 1) * sizeof *all), step = gs_py_dtype_size(self->dtype);
    if (!all) return (Py_ssize_t *)PyErr_NoMemory();
    for (int i = self->ndim - 1; i >= 0; --i) {
        all[i] = gs_py_buffer_extent(self, i);
        all[self->ndim + i] = step;
        step *= all[i];
    }
    return all;
}

int gs_py_buffer_get(PyObject *object, Py_buffer *view, int flags) {
    gs_py_buffer *self = gs_py_buffer_of(object);
    view->obj = NULL;
    if (gs_py_buffer_check(self) < 0 || check_view(self, flags) < 0) return -1;
    Py_ssize_t *extents = layout(self);
    if (!extents) return -1;
    gs_py_buffer_count_export(self, 1); /* from here on it cannot be closed */
    if (gs_py_buffer_wait(self) < 0) {
        gs_py_buffer_count_export(self, -1);
        PyMem_Free(extents);
        return -1;
    }
    view->buf = self->address;
    view->len = self->bytes;
    view->readonly = self->readonly;
    view->itemsize = gs_py_dtype_size(self->dtype);
    view->format = (flags & PyBUF_FORMAT) == PyBUF_FORMAT ? (char *)self->dtype->format : NULL;
    view->ndim = self->ndim;
    view->shape = (flags & PyBUF_ND) == PyBUF_ND ? extents : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? extents + self->ndim : NULL;
    view->suboffsets = NULL;
    view->internal = extents;
    view->obj = Py_NewRef(object);
    return 0;
}

void gs_py_buffer_release(PyObject *object, Py_buffer *view) {
    PyMem_Free(view->internal);
    gs_py_buffer_count_export(gs_py_buffer_of(object), -1);
}

/* ---- device memory of others ------------------------------------------------------------------------------------ */

PyObject *gs_py_buffer_from_address(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    uint64_t address, bytes;
    if (count != 5 || !gs_py_is_stream(arguments[2]))
        return PyErr_Format(PyExc_TypeError, "an address, a size, a stream, an owner and a flag are expected"), NULL;
    if (gs_py_uint64("buffer_of", "address", arguments[0], &address) < 0 ||
        gs_py_uint64("buffer_of", "bytes", arguments[1], &bytes) < 0)
        return NULL;
    const int readonly = PyObject_IsTrue(arguments[4]);
    if (readonly < 0) return NULL;
    if (bytes > PY_SSIZE_T_MAX) return PyErr_Format(PyExc_OverflowError, "so much memory does not exist"), NULL;
    return gs_py_buffer_of_foreign(address ? (char *)(uintptr_t)address : gs_py_no_memory, (Py_ssize_t)bytes,
                                   gs_py_stream(arguments[2]), arguments[3], GS_PY_ON_DEVICE, readonly,
                                   &gs_py_dtype_bytes, 1, NULL);
}
