/* SPDX-License-Identifier: Apache-2.0 */
/* Single numbers of a device's default pool, as ints: what programs ask for in loops. The others are read from the dict of
   gs_pool_get_stats(). Each is f(device=None), and 0 until the library is initialised, whatever the device. */
#ifndef GPUSTREAM_PYTHON_MEMORY_H
#define GPUSTREAM_PYTHON_MEMORY_H

#include "common.h"

PyObject *gs_py_memory_allocated(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
PyObject *gs_py_max_memory_allocated(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
PyObject *gs_py_memory_reserved(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
PyObject *gs_py_max_memory_reserved(PyObject *module, PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#define GS_PY_DOC_OF_MEMORY                                                                                            \
    "\n\n"                                                                                                             \
    "Args:\n"                                                                                                          \
    "    device: a device; None or any negative number: the current one.\n\n"                                          \
    "0 as long as the library is not initialised, which the call does not do. Raises gpustream.InvalidDeviceError: "   \
    "there is no\nsuch device. Does not block. See gs_pool_get_stats() in gpustream.h."

#define gs_py_doc_memory_allocated                                                                                     \
    "memory_allocated($module, device=None)\n--\n\n"                                                                   \
    "Bytes of a device's default pool that are allocated and not freed (int), by all languages of the "                \
    "process." GS_PY_DOC_OF_MEMORY
#define gs_py_doc_max_memory_allocated                                                                                 \
    "max_memory_allocated($module, device=None)\n--\n\n"                                                               \
    "The largest memory_allocated() since the process began or reset_peak_memory_stats() (int)." GS_PY_DOC_OF_MEMORY
#define gs_py_doc_memory_reserved                                                                                      \
    "memory_reserved($module, device=None)\n--\n\n"                                                                    \
    "Bytes that the driver has reserved for a device's default pool (int), for other users of that pool as "           \
    "well." GS_PY_DOC_OF_MEMORY
#define gs_py_doc_max_memory_reserved                                                                                  \
    "max_memory_reserved($module, device=None)\n--\n\n"                                                                \
    "The largest memory_reserved() since the process began or reset_peak_memory_stats() (int)." GS_PY_DOC_OF_MEMORY

#endif
