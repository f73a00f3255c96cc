/* SPDX-License-Identifier: Apache-2.0 */
/* For C and C++ extensions of Python: from the package's objects to handles of gpustream.h, and back.

       static const gs_python_api *api;                      // in the module's init function:
       if (!(api = gs_python_import())) return NULL;

       gs_stream_t stream;                                   // in a function that takes any stream object:
       PyObject *owner;
       if (api->stream(object, &stream, &owner) < 0) return NULL;
       int failed = api->check(gs_event_record(event, stream)) < 0;
       Py_DECREF(owner);

   Link with the file gpustream.get_library(); this header and gpustream.h are in gpustream.get_include(). Every function but the
   last wants the GIL, and all report by an exception. The struct only grows: a later package serves extensions that were built before. */
#ifndef GPUSTREAM_PYTHON_H
#define GPUSTREAM_PYTHON_H

#include <Python.h>
#include <gpustream.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GS_PYTHON_API_NAME "gpustream._core.C_API"

typedef struct gs_python_api {
    uint32_t struct_size; /* bytes that the package in this process has */
    uint32_t reserved;    /* 0 */

    /* 0 for GS_OK; else -1 with the package's exception for a status that a call on this thread has just returned. */
    int (*check)(gs_status_t status);

    /* The stream of an object: gpustream's own, another library's (__cuda_stream__ and others, see gpustream.interop), or
       None for GS_STREAM_CURRENT. The handle is valid while *out_owner, a new reference, is held. 0, or -1 with TypeError
       or a gpustream.Error. */
    int (*stream)(PyObject *object, gs_stream_t *out_stream, PyObject **out_owner);

    /* The event of a gpustream.Event or generic.Event, valid while the object lives. 0, or -1 with TypeError. */
    int (*event)(PyObject *object, gs_event_t *out_event);

    /* The device that an object names, as every function of the package takes it; None: GS_DEVICE_CURRENT. 0, or -1. */
    int (*device)(PyObject *object, gs_device_t *out_device);

    /* A new gpustream.Stream or gpustream.Event that takes over one reference of the handle, also where it fails (NULL). */
    PyObject *(*stream_object)(gs_stream_t stream);
    PyObject *(*event_object)(gs_event_t event);

    /* The gpustream.Device for a device of this process; a new reference, or NULL. */
    PyObject *(*device_object)(gs_device_t device);

    /* gs_dlpack_current_work_stream() for the field current_work_stream of a DLPackExchangeAPI: with -1 it sets the exception
       that the table demands. This one needs no GIL. */
    int (*dlpack_current_work_stream)(int32_t device_type, int32_t device_id, void **out_stream);
} gs_python_api;

/* The functions of the package in this process, which is imported if it was not. NULL with ImportError if there is none, or
   one that is too old for this header. */
static inline const gs_python_api *gs_python_import(void) {
    const gs_python_api *api = (const gs_python_api *)PyCapsule_Import(GS_PYTHON_API_NAME, 0);
    if (!api || api->struct_size >= sizeof *api) return api;
    PyErr_SetString(PyExc_ImportError, "the installed gpustream is older than this extension was built for");
    return NULL;
}

#ifdef __cplusplus
}
#endif

#endif
