/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr() */
#endif

#include "convert.h"
#include "device_class.h"
#include "errors.h"
#include "gil.h"
#include "module.h"
#include "objects.h"

#include "../src/gpustream/include/gpustream_python.h"

#include <dlfcn.h>

static int check(gs_status_t status) { return gs_py_check(status); }

static int stream_of(PyObject *object, gs_stream_t *out, PyObject **out_owner) {
    *out = NULL;
    *out_owner = NULL;
    if (object == Py_None) {
        if (gs_py_start() < 0) return -1;
        *out = GS_STREAM_CURRENT;
    } else if (gs_py_stream_from(object, "stream", out, out_owner) < 0) {
        return -1;
    }
    if (*out_owner) return 0;
    Py_INCREF(object);
    *out_owner = object;
    return 0;
}

static int event_of(PyObject *object, gs_event_t *out) {
    *out = NULL;
    return gs_py_event_from(object, NULL, "event", out);
}

static int device_of(PyObject *object, gs_device_t *out) { return gs_py_device(object, "device", out); }

static PyObject *stream_object(gs_stream_t stream) { return gs_py_wrap_stream(gs_py_stream_type, stream, GS_PY_OWNED); }

static PyObject *event_object(gs_event_t event) { return gs_py_wrap_event(gs_py_event_type, event, GS_PY_OWNED); }

static PyObject *device_object(gs_device_t device) { return gs_py_start() < 0 ? NULL : gs_py_device_object(device); }

/* gs_dlpack_current_work_stream() with the exception that DLPack's table demands beside -1; the caller needs no GIL. */
static int dlpack_current_work_stream(int32_t device_type, int32_t device_id, void **out_stream) {
    const int32_t result = gs_dlpack_current_work_stream(device_type, device_id, out_stream);
    if (GS_PY_LIKELY(result == 0)) return 0;
    gs_error_info_t info = {.struct_size = sizeof info};
    const gs_status_t status = gs_last_error(&info) == GS_OK ? info.status : GS_ERROR_INTERNAL;
    const PyGILState_STATE state = PyGILState_Ensure();
    gs_py_fail(status);
    PyGILState_Release(state);
    return -1;
}

static const gs_python_api api = {.struct_size = sizeof api,
                                  .check = check,
                                  .stream = stream_of,
                                  .event = event_of,
                                  .device = device_of,
                                  .stream_object = stream_object,
                                  .event_object = event_object,
                                  .device_object = device_object,
                                  .dlpack_current_work_stream = dlpack_current_work_stream};

int gs_py_add_c_api(PyObject *module) {
    PyObject *capsule = PyCapsule_New((void *)&api, GS_PYTHON_API_NAME, NULL);
    const int result = PyModule_AddObjectRef(module, "C_API", capsule);
    Py_XDECREF(capsule);
    return result;
}

PyObject *gs_py_dlpack_function(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return gs_py_unsigned((uintptr_t)api.dlpack_current_work_stream);
}

PyObject *gs_py_library_file(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)gs_abi_version, &info) || !info.dli_fname)
        return PyErr_Format(PyExc_OSError, "the loader does not know the library's file"), NULL;
    return PyUnicode_DecodeFSDefault(info.dli_fname);
}
