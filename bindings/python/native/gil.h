/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls release the GIL.

   Calls that wait for device work always release it (waiting.h), and so do those that ask the vendor's management
   library, and those that may start a driver as long as none was started. The others keep it: releasing costs more than
   they do, and no thread of this library that a driver waits for takes it. Another library may run Python code on a
   driver's thread, though. A record that waits for room in the driver's full queue then waits for that code, which waits
   for the GIL. For such processes GPUSTREAM_GIL=release makes every call that reaches the driver release it; and so they
   do while this package has functions in streams that hold them (notifications.h).

   An interpreter without a GIL has the same rule for the state of its threads: one that does not give its state up holds up
   the thread that stops all others, as the garbage collector does. */
#ifndef GPUSTREAM_PYTHON_GIL_H
#define GPUSTREAM_PYTHON_GIL_H

#include "threads.h"

extern GS_PY_HIDDEN int gs_py_releases_gil; /* written with the GIL held, where there is one */
extern GS_PY_HIDDEN int gs_py_started;      /* this module saw gs_init() succeed; written with the GIL held */

#define GS_PY_KEEP_GIL_IF(keep, call)                                                                                  \
    do {                                                                                                               \
        if (GS_PY_LIKELY(keep)) {                                                                                      \
            call;                                                                                                      \
        } else {                                                                                                       \
            Py_BEGIN_ALLOW_THREADS;                                                                                    \
            call;                                                                                                      \
            Py_END_ALLOW_THREADS;                                                                                      \
        }                                                                                                              \
    } while (0)

#define GS_PY_DRIVER(call) GS_PY_KEEP_GIL_IF(!GS_PY_LOAD(gs_py_releases_gil), call)
/* A copy of memory that is not page-locked: the driver may wait for the stream's work, which may wait for Python code. */
#define GS_PY_COPY(call) GS_PY_KEEP_GIL_IF(0, call)
#define GS_PY_FIRST_USE(call) GS_PY_KEEP_GIL_IF(GS_PY_LOAD(gs_py_started), call)

/* Reads GPUSTREAM_GIL and adds `gives_up_gil` to the module. Any word but "release" keeps the GIL; the package warns of
   unknown ones. Returns 0 or -1. */
int gs_py_read_gil_setting(PyObject *module);

/* How many functions that hold streams there are. set_holding(number) */
void gs_py_set_holding(long number);
PyObject *gs_py_set_holding_from(PyObject *module, PyObject *number);

/* Whether the interpreter has begun to exit. From then on it may never hand out the GIL again, so the library's threads
   must not ask for it. Any thread, with or without the GIL. */

void gs_py_begin_shutdown(void);
int gs_py_is_shutting_down(void);

/* Initialisation at the first use. Another thread may be initialising, and the deferred Python calls that it runs need
   the GIL: no thread waits for the initialisation while holding it. */

/* Calls gs_init(). Returns 0, or -1 with the exception set. */
int gs_py_start_slowly(void);

static inline int gs_py_start(void) { return GS_PY_LIKELY(GS_PY_LOAD(gs_py_started)) ? 0 : gs_py_start_slowly(); }

/* start(): initialises the library, and asks it also when it is initialised. */
PyObject *gs_py_start_entry(PyObject *module, PyObject *unused);

/* call_on_init((function, stack)): calls at once if the library is initialised. */
PyObject *gs_py_call_on_init(PyObject *module, PyObject *call);

#endif
