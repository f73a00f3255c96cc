/* SPDX-License-Identifier: Apache-2.0 */
#include "buffer.h"

#include "convert.h"
#include "device_class.h"
#include "errors.h"
#include "known_streams.h"

/* A getter of what is always there. */
#define VALUE(name, value)                                                                                             \
    static PyObject *name(PyObject *self, void *unused) {                                                              \
        (void)unused;                                                                                                  \
        return value;                                                                                                  \
    }

static uintptr_t address_of(PyObject *self) {
    const char *address = gs_py_buffer_of(self)->address;
    return address == gs_py_no_memory ? 0 : (uintptr_t)address;
}

VALUE(get_ptr, gs_py_buffer_check(gs_py_buffer_of(self)) < 0 ? NULL : gs_py_unsigned(address_of(self)))
VALUE(get_nbytes, PyLong_FromSsize_t(gs_py_buffer_of(self)->bytes))
VALUE(get_parameter, gs_py_buffer_check(gs_py_buffer_of(self)) < 0 ? NULL : gs_py_void_pointer(address_of(self)))

/* The stream of a part that was closed is not known any more. */
static int find_stream(PyObject *self, gs_stream_t *out) {
    *out = gs_py_whole(gs_py_buffer_of(self))->stream;
    if (*out) return 0;
    gs_py_fail_with(GS_ERROR_INVALID_HANDLE, "the buffer was closed");
    return -1;
}

static PyObject *get_stream(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_t stream;
    return find_stream(self, &stream) < 0 ? NULL : gs_py_known_object(stream);
}

static PyObject *get_device(PyObject *self, void *unused) {
    (void)unused;
    gs_stream_t stream;
    gs_device_t device;
    if (find_stream(self, &stream) < 0 || gs_py_check(gs_stream_device(stream, &device)) < 0) return NULL;
    return gs_py_device_object(device);
}

VALUE(get_pinned, PyBool_FromLong(gs_py_whole(gs_py_buffer_of(self))->place == GS_PY_PINNED))

/* Where the memory is, beside the device's own: DLPack tells them apart. */
VALUE(get_place, PyLong_FromLong(gs_py_whole(gs_py_buffer_of(self))->place))
VALUE(get_readonly, PyBool_FromLong(gs_py_buffer_of(self)->readonly))
VALUE(get_closed, PyBool_FromLong(gs_py_buffer_is_closed(gs_py_buffer_of(self))))
VALUE(get_dtype, PyUnicode_FromString(gs_py_buffer_of(self)->dtype->name))
VALUE(get_typestr, Py_BuildValue("z", gs_py_buffer_of(self)->dtype->typestr))
VALUE(get_itemsize, PyLong_FromSsize_t(gs_py_dtype_size(gs_py_buffer_of(self)->dtype)))

static PyObject *get_shape(PyObject *self, void *unused) {
    (void)unused;
    gs_py_buffer *buffer = gs_py_buffer_of(self);
    PyObject *shape = PyTuple_New(buffer->ndim);
    for (int i = 0; shape && i < buffer->ndim; ++i) {
        PyObject *extent = PyLong_FromSsize_t(gs_py_buffer_extent(buffer, i));
        if (extent)
            PyTuple_SET_ITEM(shape, i, extent);
        else
            Py_CLEAR(shape);
    }
    return shape;
}

VALUE(get_captured, PyBool_FromLong(gs_py_whole(gs_py_buffer_of(self))->capture != 0))

PyGetSetDef gs_py_buffer_properties[] = {
    GS_PY_PROPERTY("ptr", get_ptr, "The address (int). For work in another stream: record_stream()."),
    {"nbytes", get_nbytes, NULL, "Size in bytes (int).", NULL},
    GS_PY_PROPERTY("stream", get_stream, "The stream in whose order the memory is allocated."),
    GS_PY_PROPERTY("device", get_device, "Device of the stream."),
    GS_PY_PROPERTY("pinned", get_pinned, "Whether it is page-locked memory of the host (bool)."),
    {"readonly", get_readonly, NULL, "Whether it is another library's memory that must not be written (bool).", NULL},
    GS_PY_PROPERTY("closed", get_closed, "Whether it, or what it is a part of, was closed (bool)."),
    {"dtype", get_dtype, NULL, "Name of the element type, as NumPy's (str); \"uint8\" unless view() chose another one.",
     NULL},
    {"itemsize", get_itemsize, NULL, "Size of an element in bytes (int).", NULL},
    {"shape", get_shape, NULL, "Elements along each axis (tuple of int); without gaps, the last axis varies fastest.",
     NULL},
    GS_PY_PROPERTY("_as_parameter_", get_parameter, "The address as ctypes passes it to a function."),
    {"_typestr", get_typestr, NULL, NULL, NULL},
    GS_PY_PROPERTY("_place", get_place, NULL),
    GS_PY_PROPERTY("_captured", get_captured, NULL),
    {NULL, NULL, NULL, NULL, NULL}};
