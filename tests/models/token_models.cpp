// SPDX-License-Identifier: Apache-2.0
// The leases of tokens: thread 0 is the process that makes them, the others use them.
#include <cstring>

#include "base/clock.hpp"
#include "core/token/token_layout.hpp"
#include "core/token/token_slot.hpp"
#include "models/models.hpp"

namespace gs::models {
namespace {

constexpr uint64_t kFirst = 1, kNext = 3; // generations of tokens
constexpr uint64_t kBit[] = {1, 2};       // of the readers

alignas(64) TokenShared g_cells;
TokenFile g_file;
Mutex g_pool;
uint64_t g_event; // the driver's: the generation that it was recorded for

TokenSlot &slot() { return g_file.slots[0]; }
TokenCell &cell() { return slot().cell(); }

// A token whose point is reached, and which a process has waited for: its lease may end.
void renew_token() {
    std::memset(static_cast<void *>(&g_cells), 0, sizeof g_cells);
    g_file.shared = &g_cells;
    g_file.device = &device();
    slot().file = &g_file;
    slot().created_ns = monotonic_ns();
    g_event = kFirst;
    cell().generation.store(kFirst, std::memory_order_relaxed);
    cell().reached.store(kFirst, std::memory_order_relaxed);
    cell().waited.store(kFirst, std::memory_order_relaxed);
    watch(g_event, "the event of a cell");
}

// Records the event for the next token if the lease of this one is over, as take_slot() and lease_slot() do.
void make_next() {
    if (look_at_lease(block(0), slot(), UINT64_MAX, g_pool) != Lease::Over) return;
    g_event = kNext;
    begin_generation(cell(), kNext);
}

// A call of another process with a token of that generation. True: the token was good.
bool use_token(uint64_t bit, uint64_t generation) {
    begin_call(cell(), bit);
    const bool fits = has_generation(cell(), generation);
    if (fits) require(g_event == generation, "a token stands for another point");
    end_call(cell(), bit);
    return fits;
}

} // namespace

// The event is recorded again when the last call that uses the token has ended, and later calls are refused.
Model token_call_or_next_token() {
    return {"token_call_or_next_token", renew_token, {make_next, [] { (void)use_token(kBit[0], kFirst); }}, [] {
                require(cell().in_call.load() == 0, "a mark stays");
                require(cell().generation.load() != kNext || g_event == kNext, "the next token has its record");
            }};
}

// The same with two readers, one of which calls twice.
Model token_readers_and_next_token() {
    return {"token_readers_and_next_token",
            renew_token,
            {make_next, [] { (void)use_token(kBit[0], kFirst); }, [] { (void)use_token(kBit[1], kFirst); }},
            [] { require(cell().in_call.load() == 0, "a mark stays"); }};
}

// Who finds the next token's generation finds its event recorded.
Model token_event_comes_with_its_generation() {
    return {"token_event_comes_with_its_generation",
            renew_token,
            {make_next, [] { (void)use_token(kBit[0], kNext); }},
            [] { require(cell().generation.load() >= kFirst, "generations grow"); }};
}

} // namespace gs::models
