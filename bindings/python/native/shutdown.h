/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the interpreter has begun to exit. From then on it may never hand out the GIL again, so the library's threads
   must not ask for it. Any thread, with or without the GIL. */
#ifndef GPUSTREAM_PYTHON_SHUTDOWN_H
#define GPUSTREAM_PYTHON_SHUTDOWN_H

void gs_py_begin_shutdown(void);
int gs_py_is_shutting_down(void);

#endif
