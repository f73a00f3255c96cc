/* SPDX-License-Identifier: Apache-2.0 */
/* The library's log messages, which may come on any thread, with or without the GIL: they go into a list that the main
   thread empties at its next safe point. */
#ifndef GPUSTREAM_PYTHON_MESSAGES_H
#define GPUSTREAM_PYTHON_MESSAGES_H

#include "common.h"

/* For gs_set_log_callback(). */
void gs_py_log(void *unused, int32_t level, const char *text);

/* In a forked child. */
void gs_py_forget_messages(void);

#endif
