/* SPDX-License-Identifier: Apache-2.0 */
#include "convert.h"
#include "errors.h"
#include "gil.h"
#include "module.h"
#include "threads.h"

/* What a call of the library gets for a function that raised, or that cannot be called any more. */
enum { RAISED = 1, SHUT_DOWN = 2 };

enum { MOST = 8 }; /* as many as the library takes */
static struct {
    int32_t number; /* 0: free */
    PyObject *functions;
} bridges[MOST];

/* ---- what the library calls ------------------------------------------------------------------------------------- */

/* The exception that the thread has already stays; what the function raises is shown, as no Python caller may be there. */
typedef struct entered {
    PyGILState_STATE state;
    PyObject *type, *value, *traceback;
} entered;

static int enter(entered *out) {
    if (gs_py_is_shutting_down()) return 0;
    out->state = PyGILState_Ensure();
    PyErr_Fetch(&out->type, &out->value, &out->traceback);
    return 1;
}

static int32_t leave(entered *in, PyObject *function, PyObject *result) {
    if (PyErr_Occurred()) PyErr_WriteUnraisable(function);
    Py_XDECREF(result);
    PyErr_Restore(in->type, in->value, in->traceback);
    PyGILState_Release(in->state);
    return result ? 0 : RAISED;
}

static int32_t call_get(void *functions, int32_t ordinal, uintptr_t *out) {
    entered thread;
    if (!enter(&thread)) return SHUT_DOWN;
    PyObject *get = PyTuple_GET_ITEM((PyObject *)functions, 0);
    PyObject *result = PyObject_CallFunction(get, "i", (int)ordinal);
    uint64_t number = 0;
    if (result && gs_py_uint64("get", "result", result, &number) < 0) Py_CLEAR(result);
    *out = (uintptr_t)number;
    return leave(&thread, get, result);
}

static int32_t call_set(void *functions, int32_t ordinal, uintptr_t native) {
    entered thread;
    if (!enter(&thread)) return SHUT_DOWN;
    PyObject *set = PyTuple_GET_ITEM((PyObject *)functions, 1);
    PyObject *result = PyObject_CallFunction(set, "iK", (int)ordinal, (unsigned long long)native);
    return leave(&thread, set, result);
}

static int32_t call_set_device(void *functions, int32_t ordinal) {
    entered thread;
    if (!enter(&thread)) return SHUT_DOWN;
    PyObject *set_device = PyTuple_GET_ITEM((PyObject *)functions, 2);
    return leave(&thread, set_device, PyObject_CallFunction(set_device, "i", (int)ordinal));
}

/* ---- what the package calls ------------------------------------------------------------------------------------- */

static int is_function(PyObject *given, const char *name, int may_be_none) {
    if (PyCallable_Check(given) || (may_be_none && given == Py_None)) return 1;
    PyErr_Format(PyExc_TypeError, "argument '%s' must be callable, not %.100s", name, Py_TYPE(given)->tp_name);
    return 0;
}

/* Takes the reference. */
static void keep(int32_t number, PyObject *functions) {
    int place = 0;
    GS_PY_LOCK(GS_PY_BRIDGE_TABLE);
    while (place < MOST && bridges[place].number) ++place;
    if (place < MOST) {
        bridges[place].number = number;
        bridges[place].functions = functions;
    }
    GS_PY_UNLOCK(GS_PY_BRIDGE_TABLE);
}

/* What was kept for a bridge, whose reference is the caller's; NULL: nothing. */
static PyObject *take_out(int64_t number) {
    PyObject *functions = NULL;
    GS_PY_LOCK(GS_PY_BRIDGE_TABLE);
    for (int i = 0; i < MOST; ++i) {
        if (bridges[i].number != number) continue;
        functions = bridges[i].functions;
        bridges[i].number = 0;
        bridges[i].functions = NULL;
    }
    GS_PY_UNLOCK(GS_PY_BRIDGE_TABLE);
    return functions;
}

PyObject *gs_py_bridge_register(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *name;
    PyObject *get, *set, *set_device;
    if (!PyArg_ParseTuple(arguments, "sOOO", &name, &get, &set, &set_device)) return NULL;
    if (!is_function(get, "get", 0) || !is_function(set, "set", 1) || !is_function(set_device, "set_device", 1))
        return NULL;
    PyObject *functions = PyTuple_Pack(3, get, set, set_device);
    if (!functions) return NULL;
    const gs_bridge_t bridge = {.struct_size = sizeof bridge,
                                .name = name,
                                .backend = GS_BACKEND_DEFAULT,
                                .get = call_get,
                                .set = set == Py_None ? NULL : call_set,
                                .set_device = set_device == Py_None ? NULL : call_set_device,
                                .arg = functions};
    int32_t number;
    gs_status_t status;
    GS_PY_FIRST_USE(status = gs_bridge_register(&bridge, &number));
    if (gs_py_check(status) < 0) return Py_DECREF(functions), NULL;
    keep(number, functions);
    return PyLong_FromLong(number);
}

PyObject *gs_py_bridge_unregister(PyObject *module, PyObject *given) {
    (void)module;
    int64_t number;
    gs_status_t status;
    if (gs_py_signed_number(given, "number", INT32_MIN, INT32_MAX, &number) < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS; /* a thread that is inside may wait for the GIL */
    status = gs_bridge_unregister((int32_t)number);
    Py_END_ALLOW_THREADS;
    if (gs_py_check(status) < 0) return NULL;
    PyObject *functions = take_out(number);
    Py_XDECREF(functions);
    Py_RETURN_NONE;
}

int gs_py_dlpack_current_work_stream(int32_t device_type, int32_t device_id, void **out_stream) {
    const int32_t result = gs_dlpack_current_work_stream(device_type, device_id, out_stream);
    if (GS_PY_LIKELY(result == 0)) return 0;
    gs_error_info_t info = {.struct_size = sizeof info};
    const gs_status_t status = gs_last_error(&info) == GS_OK ? info.status : GS_ERROR_INTERNAL;
    const PyGILState_STATE state = PyGILState_Ensure();
    gs_py_fail(status);
    PyGILState_Release(state);
    return -1;
}
