/* SPDX-License-Identifier: Apache-2.0 */
#include "device_objects.h"

#include "hooks.h"

enum { KEPT = 64 };
static PyObject *kept[KEPT]; /* of the default backend's first devices */

PyObject *gs_py_device_object(gs_device_t number) {
    const int keep = number >= 0 && number < KEPT;
    if (GS_PY_LIKELY(keep && kept[number])) return Py_INCREF(kept[number]), kept[number];
    PyObject *device = PyObject_CallFunction(gs_py_hook.device_object, "i", (int)number);
    if (!device || !keep) return device;
    Py_INCREF(device);
    Py_XSETREF(kept[number], device);
    return device;
}
