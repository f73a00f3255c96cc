// SPDX-License-Identifier: Apache-2.0
// Files that processes of one user map to talk to each other. Each is the memory of one process, named after it. Those that
// dead processes left behind are removed in small steps.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <cstdint>

#include "base/process_identity.hpp"
#include "base/status.hpp"

namespace gs {

inline constexpr size_t kSharedNameSize = 64;

struct SharedFile {
    const char *directory;
    ProcessIdentity creator;
    uint64_t nonce; // among the files of the process
    size_t bytes;
    const char *purpose; // for messages
};

// The name in the directory.
void shared_file_name(const ProcessIdentity &creator, uint64_t nonce, char (&out)[kSharedNameSize]) noexcept;
// The process that made a file, by its name; is_life: it is the one that the process locks. False: the library makes no such name.
bool parse_shared_file_name(const char *name, uint64_t *out_life, bool *out_is_life) noexcept;

// Creates the file (mode 0600, must not exist, space reserved) and maps it; the bytes are zero. OUT_OF_MEMORY, SYSTEM.
Status create_shared_file(const SharedFile &file, void **out_memory) noexcept;
// Maps another process's file. PEER_LOST: there is no such file. INVALID_ARGUMENT: it has another owner, kind, mode
// or size. OUT_OF_MEMORY, SYSTEM.
Status open_shared_file(const SharedFile &file, void **out_memory) noexcept;
void unmap_shared_file(const SharedFile &file, void *memory) noexcept;
void unlink_shared_file(const SharedFile &file) noexcept;

class SharedSweep {
public:
    // Begins at the start of the directory; a sweep that is under way ends.
    void begin(const char *directory) noexcept;
    // Looks at some entries. False when the end was reached.
    bool step() noexcept;
    // Ends the sweep before the end of the directory.
    void end() noexcept;

private:
    DIR *entries_ = nullptr;
};

// The first call of the process removes some of them; the next process removes more.
void sweep_shared_once(const char *directory) noexcept;
// create_shared_file(). Where the folder is full, files of dead processes are removed first.
Status create_shared_file_swept(const SharedFile &file, void **out_memory) noexcept;

} // namespace gs
