// SPDX-License-Identifier: Apache-2.0
// The memory that processes share for one interprocess event, and its file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "backend/host/engine/result.hpp"
#include "backend/host/ipc/ipc_handle.hpp"

namespace gs::host {

// Layout between processes of the same version of the library.
struct IpcPage {
    static constexpr uint32_t kRecorders = 64; // processes that have the event open
    static constexpr uint32_t kHistory = 256;  // generations whose completion is kept apart

    struct Recorder {
        // Modulo 4: 0 free, 1 being filled, 2 in use. Only grows, so an old value differs from every later one.
        std::atomic<uint64_t> ticket;
        ProcessIdentity process;
    };

    uint32_t magic;
    uint16_t version;
    uint16_t device;
    uint64_t nonce;
    // The newest record: generation << 8 | slot of the process that made it, in one word, so that a process that dies
    // between two steps is never mistaken for another one.
    std::atomic<uint64_t> head;
    std::atomic<uint32_t> futex; // grows with each completion
    uint32_t reserved;
    // done[g % kHistory] >= g: generation g is complete. A record that stays incomplete for kHistory newer ones counts
    // as complete together with the one that takes its place.
    std::atomic<uint64_t> done[kHistory];
    Recorder recorders[kRecorders];
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);
inline constexpr size_t kPageBytes = 8192;
static_assert(sizeof(IpcPage) <= kPageBytes);

// Creates the file (mode 0600, must not exist, space reserved) and maps it. System failures leave their detail in the
// thread's pending record.
Result create_page(const char *directory, const IpcHandle &handle, IpcPage **out) noexcept;
// Maps the page of another process's event after checking owner, kind and size.
Result open_page(const char *directory, const IpcHandle &handle, IpcPage **out) noexcept;
void unmap_page(IpcPage *page) noexcept;
void unlink_page(const char *directory, const ProcessIdentity &exporter, uint64_t nonce) noexcept;
// Removes the files that dead processes of this user left behind.
void sweep_pages(const char *directory) noexcept;

} // namespace gs::host
