// SPDX-License-Identifier: Apache-2.0
// A line of memory that another core has changed takes as long as a hundred instructions to arrive. A caller that
// asks early does not wait.
#pragma once

namespace gs {

// The line is about to be written. The address may be a null pointer.
inline void prefetch_to_write(const void *line) noexcept {
#if defined(__x86_64__)
    // Compilers make it a request to read, after which the first store asks once more. Other processors
    // ignore it.
    asm volatile("prefetchw %0" : : "m"(*static_cast<const char *>(line)));
#else
    __builtin_prefetch(line, 1);
#endif
}

} // namespace gs
