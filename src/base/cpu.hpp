// SPDX-License-Identifier: Apache-2.0
// What a loop that spins does between two looks.
#pragma once

namespace gs {

inline void relax_cpu() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace gs
