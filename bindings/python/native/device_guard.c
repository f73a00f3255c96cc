/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"
#include "convert.h"
#include "gil.h"
#include "module.h"
#include "objects.h"
#include "scopes.h"
#include "spares.h"
#include "threads.h"
#include "types.h"

typedef struct device_guard {
    PyObject ob_base;
    int index;       /* negative: no effect */
    uint64_t number; /* of its blocks, unlike its address never used again */
    uint64_t opener; /* the thread that entered it last */
} device_guard;

static PyTypeObject *guard_type, *device_type, *device_of_type;
static gs_py_spares spare_devices; /* of gpustream.device itself */

static gs_py_signature guard_parameters = GS_PY_ONE_REQUIRED("DeviceGuard", "index");
static gs_py_signature device_parameters = GS_PY_ONE_REQUIRED("device", "device");
static gs_py_signature device_of_parameters = GS_PY_ONE_REQUIRED("device_of", "obj");

/* ---- from the arguments ----------------------------------------------------------------------------------------- */

static int from_device(PyObject *given, int *out) { return gs_py_device(given, "device", out); }

static int from_index(PyObject *given, int *out) { return gs_py_device_number(given, "index", out); }

/* Tensors, as they show themselves. */
static int from_tensor(PyObject *object, int *out) {
    *out = GS_DEVICE_CURRENT;
    PyObject *flag = PyObject_GetAttrString(object, "is_cuda");
    if (!flag) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
        return PyErr_Clear(), 0;
    }
    const int is_cuda = PyObject_IsTrue(flag);
    Py_DECREF(flag);
    if (is_cuda <= 0) return is_cuda;
    PyObject *device = PyObject_CallMethod(object, "get_device", NULL);
    if (!device) return -1;
    const int result = gs_py_device(device, "device", out);
    Py_DECREF(device);
    return result;
}

static int from_object(PyObject *object, int *out) {
    if (gs_py_is_stream(object)) return gs_py_check(gs_stream_device(gs_py_stream(object), out));
    /* GS_DEVICE_NONE, of an event that was not recorded, is negative. */
    if (gs_py_is_event(object)) return gs_py_check(gs_event_device(gs_py_event(object), out));
    return from_tensor(object, out);
}

/* ---- begin and end ---------------------------------------------------------------------------------------------- */

typedef int (*reader)(PyObject *given, int *out);

static PyObject *make(PyTypeObject *type, gs_py_signature *signature, reader read, PyObject *const *arguments,
                      size_t nargsf, PyObject *names) {
    PyObject *given;
    int index;
    if (gs_py_bind_one(signature, arguments, PyVectorcall_NARGS(nargsf), names, &given) < 0 || read(given, &index) < 0)
        return NULL;
    device_guard *guard = type == device_type ? (device_guard *)gs_py_spares_take(&spare_devices) : NULL;
    if (GS_PY_UNLIKELY(!guard)) guard = PyObject_New(device_guard, type);
    if (!guard) return NULL;
    guard->index = index;
    guard->number = gs_py_scope_number();
    guard->opener = 0;
    return (PyObject *)guard;
}

static PyObject *device_vectorcall(PyObject *type, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    return make((PyTypeObject *)type, &device_parameters, from_device, arguments, nargsf, names);
}

static PyObject *device_of_vectorcall(PyObject *type, PyObject *const *arguments, size_t nargsf, PyObject *names) {
    return make((PyTypeObject *)type, &device_of_parameters, from_object, arguments, nargsf, names);
}

/* The arguments are __init__'s, which a derived class may replace. */
static PyObject *guard_new(PyTypeObject *type, PyObject *tuple, PyObject *dict) {
    (void)tuple, (void)dict;
    PyObject *self = type->tp_alloc(type, 0);
    if (!self) return NULL;
    ((device_guard *)self)->index = GS_DEVICE_CURRENT;
    ((device_guard *)self)->number = gs_py_scope_number();
    return self;
}

static void guard_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    if (type == device_type && gs_py_spares_give(&spare_devices, self)) return;
    type->tp_free(self);
    Py_DECREF(type);
}

static int init(PyObject *self, gs_py_signature *signature, reader read, PyObject *tuple, PyObject *dict) {
    PyObject *given;
    if (gs_py_bind_tuple(signature, tuple, dict, &given) < 0) return -1;
    return read(given, &((device_guard *)self)->index);
}

static int guard_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    return init(self, &guard_parameters, from_index, tuple, dict);
}

static int device_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    return init(self, &device_parameters, from_device, tuple, dict);
}

static int device_of_init(PyObject *self, PyObject *tuple, PyObject *dict) {
    return init(self, &device_of_parameters, from_object, tuple, dict);
}

/* ---- enter and leave -------------------------------------------------------------------------------------------- */

static PyObject *guard_enter(PyObject *self, PyObject *unused) {
    (void)unused;
    device_guard *guard = (device_guard *)self;
    gs_py_entries *entries = &gs_py_thread_scopes;
    GS_PY_KEEP_ADDRESS(entries);
    gs_device_t previous = GS_PY_NO_DEVICE;
    gs_status_t status = GS_OK;
    if (gs_py_entries_reserve(entries) < 0) return NULL;
    if (guard->index >= 0) GS_PY_FIRST_USE(status = gs_exchange_device(guard->index, &previous));
    if (gs_py_check(status) < 0) return NULL;
    gs_py_entries_add(entries, guard->number, (uint64_t)(int64_t)previous);
    GS_PY_STORE(guard->opener, PyThread_get_thread_ident());
    Py_RETURN_NONE;
}

static PyObject *leave(PyObject *self, uint64_t token) {
    (void)token; /* the entries of one object on one thread are left from the last on */
    const device_guard *guard = (const device_guard *)self;
    gs_py_entries *entries = &gs_py_thread_scopes;
    GS_PY_KEEP_ADDRESS(entries);
    gs_py_entry *entry = gs_py_scope_innermost(guard->number, Py_TYPE(self)->tp_name, GS_PY_LOAD(guard->opener));
    if (!entry) return NULL;
    const gs_device_t previous = (gs_device_t)(int64_t)entry->value;
    gs_device_t left;
    gs_status_t status = GS_OK;
    gs_py_entries_cut(entries, entry);
    if (previous >= 0) status = gs_exchange_device(previous, &left);
    if (status != GS_ERROR_BAD_FORK && gs_py_check(status) < 0)
        return NULL; /* a forked child has nothing to go back to */
    Py_RETURN_FALSE;
}

static PyObject *guard_exit(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    (void)arguments, (void)count;
    return leave(self, 0);
}

static const gs_py_scope_methods scope_methods = {guard_enter, leave, 0};

/* ---- the classes ------------------------------------------------------------------------------------------------ */

static PyMethodDef methods[] = {{"__enter__", guard_enter, METH_NOARGS, NULL},
                                {"__exit__", GS_PY_FAST(guard_exit), METH_FASTCALL, NULL},
                                {NULL, NULL, 0, NULL}};
static PyMemberDef members[] = {{"idx", T_INT, offsetof(device_guard, index), 0, "The device; negative: no effect."},
                                {NULL, 0, 0, 0, NULL}};

static const char guard_doc[] =
    "DeviceGuard(index)\n--\n\nMakes the device of an index current for a while. Negative: no effect.";
static const char device_doc[] =
    "device(device)\n--\n\n"
    "with device(d): makes a device current on this thread until the block ends, also by an exception.\n\n"
    "d: a device; None or any negative number: no effect. Going back never creates a context.\n\n"
    "Raises gpustream.InvalidDeviceError when the block is entered.";
static const char device_of_doc[] =
    "device_of(obj)\n--\n\n"
    "with device_of(obj): makes the device of an object current until the block ends.\n\n"
    "obj: with .is_cuda and .get_device() as tensors have it; or a gpustream stream or event. Objects elsewhere: no "
    "effect.";

static PyTypeObject *make_type(const char *name, PyTypeObject *base, const char *doc, initproc initialise,
                               vectorcallfunc call) {
    PyType_Slot slots[] = {{Py_tp_doc, (void *)doc},
                           {Py_tp_init, (void *)initialise},
                           {Py_tp_new, (void *)guard_new},
                           {Py_tp_dealloc, (void *)guard_dealloc},
                           {Py_tp_methods, methods},
                           {base ? 0 : Py_tp_members, members},
                           {0, NULL}};
    PyTypeObject *type = gs_py_make_type(name, sizeof(device_guard), 0, base, slots, call);
    if (type && gs_py_replace_scope_methods(type, &scope_methods) < 0) Py_CLEAR(type);
    return type;
}

int gs_py_add_device_guards(PyObject *module) {
    guard_type = make_type("gpustream._core.DeviceGuard", NULL, guard_doc, guard_init, NULL);
    if (!guard_type) return -1;
    device_type = make_type("gpustream.device", guard_type, device_doc, device_init, device_vectorcall);
    if (!device_type) return -1;
    device_of_type = make_type("gpustream.device_of", device_type, device_of_doc, device_of_init, device_of_vectorcall);
    if (!device_of_type) return -1;
    if (PyModule_AddObjectRef(module, "DeviceGuard", (PyObject *)guard_type) < 0 ||
        PyModule_AddObjectRef(module, "device", (PyObject *)device_type) < 0)
        return -1;
    return PyModule_AddObjectRef(module, "device_of", (PyObject *)device_of_type);
}
