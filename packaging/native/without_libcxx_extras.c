/* SPDX-License-Identifier: Apache-2.0
 * Linked into released libraries in place of what libc++ would bring in. Hidden: no one else sees these two.
 *
 * __cxa_demangle: libc++abi's message of last resort demangles the type of an uncaught exception, and brings in 130 KB
 * for it. No exception leaves the library; if one did, the message would show the mangled name.
 * ceilf: the hash tables round sizes with it, and libm.so would have to be loaded for this one function.
 */
#include <stddef.h>

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);
float ceilf(float value);

__attribute__((visibility("hidden"))) char *__cxa_demangle(const char *mangled, char *buffer, size_t *length,
                                                           int *status) {
    (void)mangled;
    (void)buffer;
    (void)length;
    if (status) *status = -1; /* no memory: callers then use the mangled name */
    return NULL;
}

__attribute__((visibility("hidden"))) float ceilf(float value) {
    const float whole_from = 8388608.0F; /* 2^23: there, and in NaN and infinities, is no fraction */
    if (!(value > -whole_from && value < whole_from)) return value;
    const float truncated = (float)(int)value;
    return truncated < value ? truncated + 1.0F : truncated;
}
