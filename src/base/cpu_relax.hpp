// SPDX-License-Identifier: Apache-2.0
// What a loop does between two looks at a word that another core is about to change.
#pragma once

namespace gs {

inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace gs
