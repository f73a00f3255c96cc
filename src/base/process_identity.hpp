// SPDX-License-Identifier: Apache-2.0
// A process, distinct from a later one with the same number.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace gs {

struct ProcessIdentity {
    uint64_t start_time = 0;    // clock ticks since boot
    uint64_t pid_namespace = 0; // inode
    uint32_t pid = 0;
    uint32_t uid = 0;
};

inline bool operator==(const ProcessIdentity &a, const ProcessIdentity &b) noexcept {
    return a.start_time == b.start_time && a.pid_namespace == b.pid_namespace && a.pid == b.pid;
}

// A process in one word, which is written whole or not at all: start time << 22
// pid. Linux has pids below 2^22.
inline constexpr int kPidBits = 22;
constexpr uint64_t process_word(const ProcessIdentity &process) noexcept {
    return process.start_time << kPidBits | process.pid;
}
// The reverse, for a process of the same user and pid namespace as the one that made the word.
constexpr ProcessIdentity process_of_word(uint64_t word, const ProcessIdentity &beside) noexcept {
    ProcessIdentity process = beside;
    process.start_time = word >> kPidBits;
    process.pid = static_cast<uint32_t>(word & ((uint64_t{1} << kPidBits) - 1));
    return process;
}

// False when /proc cannot be read: errno says why.
bool own_identity(ProcessIdentity *out) noexcept;
// True only if it is certain: the process belongs to our pid namespace, and has ended or been replaced.
bool is_dead(const ProcessIdentity &process) noexcept;
// True only if it is certain: a thread of the process has not begun to end, so the kernel still keeps all that the
// process has.
bool is_alive(const ProcessIdentity &process) noexcept;

// The identity by which other processes know this one.

// SYSTEM: /proc cannot be read. Only for calls that need a backend: a process that started one is not forked, so the
// number stays right.
Status this_process(ProcessIdentity *out) noexcept;

} // namespace gs
