/* SPDX-License-Identifier: Apache-2.0 */
/* An extension as others write it: it takes and gives the package's objects and calls the C library itself. */
#define PY_SSIZE_T_CLEAN
#include <gpustream_python.h>

static const gs_python_api *api;

/* record(event, stream) */
static PyObject *record_both(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *event_given, *stream_given, *owner;
    gs_event_t event;
    gs_stream_t stream;
    if (!PyArg_ParseTuple(arguments, "OO", &event_given, &stream_given)) return NULL;
    if (api->event(event_given, &event) < 0 || api->stream(stream_given, &stream, &owner) < 0) return NULL;
    const int failed = api->check(gs_event_record(event, stream)) < 0;
    Py_DECREF(owner);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

/* create(device): (stream, event, device) as objects, made here */
static PyObject *create(PyObject *module, PyObject *given) {
    (void)module;
    gs_device_t device;
    gs_stream_t stream;
    gs_event_t event;
    if (api->device(given, &device) < 0 || api->check(gs_stream_create(device, 0, 0, &stream)) < 0) return NULL;
    PyObject *stream_object = api->stream_object(stream);
    if (!stream_object || api->check(gs_event_create(0, &event)) < 0) return Py_XDECREF(stream_object), NULL;
    PyObject *event_object = api->event_object(event);
    if (!event_object || api->check(gs_stream_device(stream, &device)) < 0)
        return Py_DECREF(stream_object), Py_XDECREF(event_object), NULL;
    return Py_BuildValue("NNN", stream_object, event_object, api->device_object(device));
}

static PyMethodDef methods[] = {
    {"record", record_both, METH_VARARGS, NULL}, {"create", create, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "uses_c_api", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_uses_c_api(void);
PyMODINIT_FUNC PyInit_uses_c_api(void) {
    api = gs_python_import();
    PyObject *module = api ? PyModule_Create(&definition) : NULL;
#ifdef Py_GIL_DISABLED
    if (module && PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED) < 0) Py_CLEAR(module);
#endif
    return module;
}
