// SPDX-License-Identifier: Apache-2.0
// Who holds the GIL during a call.
//
// Calls that wait for device work always give it up (synchronize.h), and so do those that ask NVML, and those that may
// be the first use of a driver until there was one. The others keep it: giving it up costs more than
// they do, and no thread of ours that a driver waits for ever wants it. Another library may run Python on a driver's
// thread, though, and then a record that waits for room in the driver's full queue would wait for that Python code, which
// waits for the GIL. For such processes GPUSTREAM_GIL=release makes every call that reaches the driver give it up.

static int gs_py_gives_up_gil; // set once, when the extension is imported
static int gs_py_started; // the library is initialised, as far as this module knows; written with the GIL held

#define GS_PY_KEEP_GIL_IF(keep, call)                                                                                  \
    do {                                                                                                               \
        if (SWIGPY_LIKELY(keep)) {                                                                                     \
            call;                                                                                                      \
        } else {                                                                                                       \
            Py_BEGIN_ALLOW_THREADS;                                                                                    \
            call;                                                                                                      \
            Py_END_ALLOW_THREADS;                                                                                      \
        }                                                                                                              \
    } while (0)

#define GS_PY_DRIVER(call) GS_PY_KEEP_GIL_IF(!gs_py_gives_up_gil, call)
#define GS_PY_FIRST_USE(call) GS_PY_KEEP_GIL_IF(gs_py_started, call)

// Another word than "release" is none: the package warns of it (_load.py).
static int gs_py_read_gil_setting(PyObject *module) {
    const char *word = getenv("GPUSTREAM_GIL");
    gs_py_gives_up_gil = word && strcmp(word, "release") == 0;
    return PyModule_AddIntConstant(module, "gives_up_gil", gs_py_gives_up_gil);
}
