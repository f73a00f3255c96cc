// SPDX-License-Identifier: Apache-2.0
// ThreadBlock: everything the library keeps per OS thread, behind one POD thread-local pointer.
//
// Blocks are never freed: the reclaimer (handle/grace.hpp) and gs_get_stats walk the list of all blocks without a lock.
// A dead thread's block goes to the next new thread, its counters go on counting.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/counters.hpp"
#include "gpustream.h"

namespace gs {

struct CoreThread; // core/thread/current_stream.hpp: current device, current streams, scopes, event cache

struct alignas(64) ThreadBlock {
    // Odd while this thread is inside a call that may use an object of another owner.
    std::atomic<uint64_t> call_seq{0};
    uint32_t id = 0;            // unique among live threads, from 1; handed on with the block
    int32_t callback_depth = 0; // > 0 inside a function that gs_stream_launch_host put into a stream
    bool dispatching = false;   // the dispatcher of notifications: may not block
    uint64_t serial = 0;        // unique for the life of the process, never handed on
    CoreThread *core = nullptr;
    Counters counters;

    gs_error_info_t pending{}; // detail of a failure still inside the library
    gs_error_info_t last{};    // what gs_last_error shows

    char *text = nullptr; // what a call gave this thread to read (malloc), until its next such call

    bool listed = false; // false: of a thread that a bad fork's child started, freed when it ends
    std::atomic<bool> in_use{false};
    std::atomic<ThreadBlock *> next{nullptr}; // list of all blocks, append only, walked without a lock
};

extern __thread ThreadBlock *t_block __attribute__((visibility("hidden")));

// nullptr only when memory is out; gs_last_error then answers from a static record.
ThreadBlock *attach_thread() noexcept __attribute__((cold));

inline ThreadBlock *this_thread() noexcept {
    ThreadBlock *block = t_block;
    return __builtin_expect(block != nullptr, 1) ? block : attach_thread();
}

ThreadBlock *all_thread_blocks() noexcept; // head of the list; follow next
bool attach_failed() noexcept;             // some thread got no block: memory was out

// Called on the exiting thread, newest hook first; must not call a driver. At most 8; returns false when full.
bool add_thread_exit_hook(void (*hook)(ThreadBlock &)) noexcept;

// For fork_state.cpp. In the child only the forking thread lives; the other blocks must not hold up the reclaimer.
void reset_thread_blocks_after_fork() noexcept;
class Mutex;
Mutex &thread_list_mutex() noexcept;

} // namespace gs
