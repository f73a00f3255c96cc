/* SPDX-License-Identifier: Apache-2.0 */
#include "shutdown.h"

#include <stdatomic.h>

static atomic_int begun;

void gs_py_begin_shutdown(void) { atomic_store(&begun, 1); }

int gs_py_is_shutting_down(void) { return atomic_load(&begun); }
