/* SPDX-License-Identifier: Apache-2.0
 * Linked into released libraries in place of what libc++ would bring in. Hidden: no one else sees it.
 *
 * __cxa_demangle: libc++abi's message of last resort demangles the type of an uncaught exception, and brings in 130 KB
 * for it. No exception leaves the library; if one did, the message would show the mangled name.
 */
#include <stddef.h>

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

__attribute__((visibility("hidden"))) char *__cxa_demangle(const char *mangled, char *buffer, size_t *length,
                                                           int *status) {
    (void)mangled;
    (void)buffer;
    (void)length;
    if (status) *status = -1; /* no memory: callers then use the mangled name */
    return NULL;
}
