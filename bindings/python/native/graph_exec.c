/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"
#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "module.h"
#include "objects.h"
#include "types.h"

PyTypeObject *gs_py_graph_exec_type, *gs_py_cuda_graph_type;

typedef struct executable {
    PyObject ob_base;
    gs_graph_exec_t exec; /* NULL: closed, or not instantiated yet; the library answers INVALID_HANDLE */
    gs_device_t device;   /* where it runs */
} executable;

static gs_py_signature launch_parameters = GS_PY_ONE_OPTIONAL("launch", "stream");

static executable *executable_of(PyObject *self) { return (executable *)self; }
static gs_graph_exec_t exec_of(PyObject *self) { return GS_PY_LOAD(executable_of(self)->exec); }

/* In the current stream of the executable's device, which need not be the current device. */
static gs_status_t launch_in_current(PyObject *self) {
    gs_graph_exec_t exec = exec_of(self);
    gs_device_t device = GS_PY_LOAD(executable_of(self)->device);
    gs_stream_t stream;
    gs_status_t status;
    GS_PY_DRIVER(status = gs_graph_exec_launch(exec, GS_STREAM_CURRENT));
    if (GS_PY_LIKELY(status != GS_ERROR_DEVICE_MISMATCH)) return status;
    status = gs_current_stream(device, &stream);
    if (status == GS_OK) GS_PY_DRIVER(status = gs_graph_exec_launch(exec, stream));
    return status;
}

static PyObject *launch(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *given = NULL, *owner;
    gs_stream_t stream;
    gs_status_t status;
    if ((count != 0 || names) && gs_py_bind_one(&launch_parameters, arguments, count, names, &given) < 0) return NULL;
    if (!given || given == Py_None) return gs_py_none_or_fail(launch_in_current(self));
    if (gs_py_stream_from(given, "stream", &stream, &owner) < 0) return NULL;
    gs_graph_exec_t exec = exec_of(self);
    GS_PY_DRIVER(status = gs_graph_exec_launch(exec, stream));
    Py_XDECREF(owner);
    return gs_py_none_or_fail(status);
}

static PyObject *replay(PyObject *self, PyObject *unused) {
    (void)unused;
    if (GS_PY_UNLIKELY(!exec_of(self))) {
        PyObject *made = PyObject_CallMethod(self, "_before_first_replay", NULL);
        if (!made) return NULL;
        Py_DECREF(made);
    }
    return gs_py_none_or_fail(launch_in_current(self));
}

/* _set_exec(handle, device): takes over the caller's reference. */
static PyObject *set_exec(PyObject *self, PyObject *arguments) {
    unsigned long long number;
    int device;
    if (!PyArg_ParseTuple(arguments, "Ki", &number, &device)) return NULL;
    GS_PY_STORE(executable_of(self)->device, (gs_device_t)device);
    GS_PY_STORE(executable_of(self)->exec, (gs_graph_exec_t)(uintptr_t)number);
    Py_RETURN_NONE;
}

/* _take_exec(): the handle, or 0; its reference is the caller's from now on. */
static PyObject *take_exec(PyObject *self, PyObject *unused) {
    (void)unused;
    PyObject *number;
    GS_PY_OBJECT_LOCK(self);
    number = gs_py_unsigned((uintptr_t)executable_of(self)->exec);
    if (number) GS_PY_STORE(executable_of(self)->exec, NULL);
    GS_PY_OBJECT_UNLOCK();
    return number;
}

static PyObject *get_exec(PyObject *self, void *unused) {
    (void)unused;
    return gs_py_unsigned((uintptr_t)exec_of(self));
}

static void executable_dealloc(PyObject *self) {
    gs_graph_exec_t exec = executable_of(self)->exec;
    if (exec) {
        gs_status_t status;
        GS_PY_DRIVER(status = gs_graph_exec_destroy(exec));
        if (GS_PY_UNLIKELY(status != GS_OK)) gs_py_report_unraisable(status);
    }
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static const char launch_doc[] =
    "launch($self, stream=None)\n--\n\n"
    "Submit the graph's work to a stream.\n\n"
    "It starts when the stream's earlier work and the previous launch of this executable are done.\n\n"
    "Args:\n"
    "    stream: a stream, also another library's; None: the current stream of the executable's device.\n\n"
    "Raises:\n"
    "    gpustream.InvalidHandleError: the executable or the stream was closed.\n"
    "    gpustream.DeviceMismatchError: the stream belongs to another device.\n"
    "    gpustream.CapturingError: the stream is being captured; Graph.add_graph() puts one graph into another.\n"
    "    TypeError: stream is not a stream.\n\n"
    "Does not block. See gs_graph_exec_launch() in gpustream.h.";
static const char replay_doc[] =
    "replay($self, /)\n--\n\n"
    "Submit the graph's work to the current stream of the device that it was captured on.\n\n"
    "With keep_graph=True the first call instantiates, unless instantiate() was called.\n\n"
    "Raises:\n"
    "    gpustream.NotPermittedError: there was no successful capture.\n"
    "    gpustream.CapturingError: the current stream is being captured.\n\n"
    "Does not block. See gs_graph_exec_launch() in gpustream.h.";

#define GS_PY_EXECUTABLE_METHODS                                                                                       \
    {"_set_exec", set_exec, METH_VARARGS, NULL}, {"_take_exec", take_exec, METH_NOARGS, NULL}, { NULL, NULL, 0, NULL }

static PyMethodDef launch_methods[] = {{"launch", GS_PY_FAST(launch), METH_FASTCALL | METH_KEYWORDS, launch_doc},
                                       GS_PY_EXECUTABLE_METHODS};
static PyMethodDef replay_methods[] = {{"replay", replay, METH_NOARGS, replay_doc}, GS_PY_EXECUTABLE_METHODS};

static PyGetSetDef properties[] = {{"_exec", get_exec, NULL, "The gs_graph_exec_t (int); 0: none.", NULL},
                                   {NULL, NULL, NULL, NULL, NULL}};

/* Arguments are those of the package's classes, whose __init__ reads them. */
static PyObject *executable_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    (void)tuple, (void)dict;
    PyObject *self = type->tp_alloc(type, 0);
    if (self) executable_of(self)->device = GS_DEVICE_NONE;
    return self;
}

static PyTypeObject *make(const char *name, PyMethodDef *methods) {
    PyType_Slot slots[] = {{Py_tp_new, (void *)executable_new},
                           {Py_tp_dealloc, (void *)executable_dealloc},
                           {Py_tp_methods, methods},
                           {Py_tp_getset, properties},
                           {0, NULL}};
    return gs_py_make_type(name, sizeof(executable), 0, NULL, slots, NULL);
}

int gs_py_make_graph_types(void) {
    gs_py_graph_exec_type = make("gpustream._core.GraphExec", launch_methods);
    if (!gs_py_graph_exec_type) return -1;
    gs_py_cuda_graph_type = make("gpustream._core.CUDAGraph", replay_methods);
    return gs_py_cuda_graph_type ? 0 : -1;
}
