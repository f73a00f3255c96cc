// SPDX-License-Identifier: Apache-2.0
// The identity by which other processes know this one, and the folder where they share files.
//
// A process holds the lock of a file in the folder as long as it lives. The kernel frees it, whatever ends the process, and
// shows that to every process that sees the folder, in whatever pid namespace. A number of a process means something in its
// own namespace only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

struct ProcessIdentity {
    uint64_t life = 0;          // a random number, which names the file. The program after exec() has another one
    uint64_t pid_namespace = 0; // its inode; 0: unknown, as the process has no /proc of its namespace
    uint32_t pid = 0;           // in its namespace
    uint32_t folder = 0;        // folder_mark()
};

inline bool operator==(const ProcessIdentity &a, const ProcessIdentity &b) noexcept { return a.life == b.life; }

inline constexpr size_t kLongestSharedDirectory = 200; // bytes, with the terminating zero

// GPUSTREAM_SHM_DIR, or where shared memory is by default. INVALID_ARGUMENT: it is too long.
Status shared_directory(const char **out) noexcept;
// A number that no other file of the user has.
Status make_nonce(const char *purpose, uint64_t *out) noexcept;

// This process; the first call makes the file. OUT_OF_MEMORY, SYSTEM: the folder cannot be used.
Status this_process(ProcessIdentity *out) noexcept;
// A new identity, with a file and a lock of its own until the process ends. this_process() keeps the first one.
Status make_identity(ProcessIdentity *out) noexcept;

// True only if it is certain that the process has ended.
bool is_dead(const ProcessIdentity &process) noexcept;
// The same where no more is known than the number.
bool life_has_ended(uint64_t life) noexcept;
// True only if it is certain: a thread of the process has not begun to end, so the kernel still keeps all that the
// process has. Never certain for a process of another pid namespace.
bool is_alive(const ProcessIdentity &process) noexcept;

// NOT_SUPPORTED: the process shares files in another folder than this one.
Status check_folder(const ProcessIdentity &process, const ProcessIdentity &self) noexcept;

} // namespace gs
