// SPDX-License-Identifier: Apache-2.0
// What the checker knows streams, events and threads by.
#pragma once

#include "base/thread_block.hpp"
#include "core/slots.hpp"
#include "tools/check/checker.hpp"

namespace gs::check {

enum KeyKind : uint64_t { kKeyLegacy = 1, kKeyPerThread, kKeyForeign, kKeyShared, kKeyOwn };

struct EventFacts {
    uint64_t handle = 0;
    bool foreign = false;
};

StreamFacts facts_of(const ThreadBlock &thread, const StreamSlot &slot) noexcept;
ThreadBlock *thread_out_of_bad_fork() noexcept;
// nullptr: nothing is observed.
inline ThreadBlock *observing_thread() noexcept { return is_checking() ? thread_out_of_bad_fork() : nullptr; }
// For what is looked at before the call: it will be refused inside a host function.
ThreadBlock *acting_thread() noexcept;

// False: there is no such stream, or its work goes into a graph unknown to the checker.
bool find_facts(ThreadBlock &thread, uint64_t handle, StreamFacts *out) noexcept;
bool find_facts(ThreadBlock &thread, uint64_t handle, EventFacts *out) noexcept;

void check_submit(uint64_t stream) noexcept; // work that accesses no memory, as far as is known

// body(checker, thread line, stream line) for the stream.
template <typename Function>
void on_line(uint64_t stream, Function &&function) noexcept {
    ThreadBlock *thread = acting_thread();
    StreamFacts facts;
    if (!thread || !find_facts(*thread, stream, &facts)) return;
    with_checker(*thread, [&](Checker &checker, const Caller &caller, Checker::Races &) {
        function(checker, checker.thread(caller), checker.order().stream(facts));
    });
}

// Calls on streams that are being captured: what they access belongs to a node of the graph.

enum class CapturedAs : uint8_t {
    Declared, // beside the work
    Call,     // by the call that has just been captured
};

// The stream's latest call has been captured. False: the stream is not being captured, or by other code.
bool saw_captured(ThreadBlock &thread, uint64_t stream) noexcept;
void saw_captured_access(ThreadBlock &thread, uint64_t stream, CapturedAs as, AccessKind kind, Range range,
                         const char *label) noexcept;

} // namespace gs::check
