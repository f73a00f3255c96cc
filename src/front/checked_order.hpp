// SPDX-License-Identifier: Apache-2.0
// For --check: the streams and events of the driver as the ordering checker knows them.
//
// The threads of the program count as one. How they wait for each other is not seen, so what one of them has seen to be done is
// known to all. Work ahead of a function of the host counts as done, since that function may tell any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "front/call.hpp"
#include "front/pointer_table.hpp"
#include "tools/check/checker.hpp"
#include "tools/check/graph_plan.hpp"

namespace gs::front {

using check::Caller;
using check::Checker;
using check::OfCall;

inline constexpr uint64_t kHost = UINT64_MAX; // all threads; no thread has this number

// body(checker, host, races), as check::with_checker.
template <typename Body>
void with_host(ThreadBlock &thread, OfCall what, Body &&body) noexcept {
    const auto call = [](void *context, Checker &checker, const Caller &caller, Checker::Races &races) {
        Caller host = caller;
        host.serial = kHost;
        host.reads_notes = true;
        (*static_cast<std::remove_reference_t<Body> *>(context))(checker, host, races);
    };
    check::with_checker(thread, what, call, &body);
}

// The word of a key; 0 if there is none.
inline void set_word(PointerTable &table, uint64_t key, uint64_t value) noexcept {
    if (std::atomic<uint64_t> *word = table.find(key, value != 0)) word->store(value, std::memory_order_relaxed);
}
inline uint64_t word_of(PointerTable &table, uint64_t key) noexcept {
    const std::atomic<uint64_t> *word = table.find(key, false);
    return word ? word->load(std::memory_order_relaxed) : 0;
}

uint64_t device_of_thread() noexcept; // its context
check::StreamFacts facts_of(ThreadBlock &thread, const Call &call) noexcept;
void end_checked_stream(ThreadBlock &thread, uint64_t stream) noexcept; // also what an earlier one of this address was
// own: all its records will be seen. Else another process or a graph may record it.
void renew_event(ThreadBlock &thread, uint64_t event, bool own) noexcept;
void share_event(ThreadBlock &thread, uint64_t event) noexcept; // a graph records it or waits for it
void add_order(ThreadBlock &thread,
               const Call &call) noexcept; // records, waits, and what shows the host that work is done

// What the driver says of memory and graphs, for the ordering checker.

enum class Memory { None, Pageable, Pinned, Device };
Memory memory_of(uint64_t address) noexcept;

// The plan has no lines yet. events: those that its nodes record or wait for. False: the driver does not tell all, or has nodes that wait for
// what is out of sight. May throw std::bad_alloc.
bool read_driver_plan(uint64_t graph, check::GraphPlan *out, std::vector<uint64_t> *events);

} // namespace gs::front
