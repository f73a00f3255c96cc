/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the package that the extension calls for everything that is not hot. The package sets them when it is
   imported; before that they are NULL. */
#ifndef GPUSTREAM_PYTHON_HOOKS_H
#define GPUSTREAM_PYTHON_HOOKS_H

#include "common.h"

typedef struct gs_py_hooks {
    /* (status, reason, backend, native_code, function, native_function, message, sticky, origin, stream, event, device) ->
       exception; what follows the message may be missing */
    PyObject *error;
    PyObject *stream;          /* (another library's object, parameter) -> stream */
    PyObject *device;          /* (object, parameter) -> int */
    PyObject *log;             /* (level, text) */
    PyObject *deferred;        /* (function, stack) */
    PyObject *waiting;         /* (function that synchronizes, nanoseconds or -1): called while callbacks are pending */
    PyObject *device_object;   /* (int) -> gpustream.Device */
    PyObject *device_parts;    /* (what Device() got as type, as index) -> (str, int or None) */
    PyObject *required_device; /* (object) -> int: where a device must be named */
    PyObject *external;        /* the class gpustream.ExternalStream */
    PyObject *long_wait;       /* (stream, event or device number, nanoseconds or -1): the rest of a long wait */
    PyObject *spins;           /* (number of a backend) -> whether its driver spins while it waits */
    PyObject *warn_of_sync;    /* () : warns of a synchronizing call, with the line that called the package */
    PyObject *event;           /* (another library's object, device of the stream that waits) -> event, else None */
} gs_py_hooks;

extern GS_PY_HIDDEN gs_py_hooks gs_py_hook;

/* From a tuple of them in the order above. Returns 0 or -1. */
int gs_py_hooks_set(PyObject *functions);

#endif
