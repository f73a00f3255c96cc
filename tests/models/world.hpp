// SPDX-License-Identifier: Apache-2.0
// What the models of the library share: threads with their blocks, and a device whose driver is a few lines. An object of
// this driver is used by calls and ends once.
#pragma once

#include <gtest/gtest.h>

#include "core/slots.hpp"
#include "core/thread/thread_state.hpp"
#include "schedule/scheduler/explore.hpp"
#include "support/seeded.hpp"

namespace gs::models {

using schedule::Outcome;
using schedule::require;
using schedule::watch;
using Model = schedule::Scenario;

inline constexpr uint32_t kUidA = 7, kUidB = 9; // of the driver streams
inline constexpr uintptr_t kNative = 0x5000;

// The block of a model's thread; its thread state is attached.
ThreadBlock &block(int thread);
Device &device();

// A driver's object. A call on it reads it, its end writes it; without an order between the two that is a race.
void renew_object();
void use_object();
void end_object(void *);
bool object_ended();

// The driver's view of one event: where it was recorded last, and how far the streams are.
struct DriverEvent {
    uintptr_t stream = 0;
    uint64_t position = 0;
};
DriverEvent driver_event();
void finish_work();  // all that was recorded so far is done
void renew_driver(); // nothing was recorded

// A new event of thread 0, whose driver event ends with end_object().
uint64_t new_event(EventSlot **out);
// A new stream of thread 0 that ends with end_object(). ever_current: some thread had it current before.
uint64_t new_stream(bool ever_current, StreamSlot **out);
// A stream with a driver stream of its own, which the models do not end.
StreamSlot &lasting_stream(uint32_t uid);
// After a run: ends what is left, so that the next one begins in the same state.
void clean_up(uint64_t event, uint64_t stream);

inline constexpr int kMostModelThreads = 3;

// With membarrier, without it, or not asked yet: the first heavy barrier does so.
enum class Marks { Light, Fenced, Unasked };
void set_marks(Marks marks);

// Explores a model whose thread i has block(i).
Outcome explore_world(Model model, uint64_t most_runs = schedule::kWeak.most);
// Explores all runs and expects none to break a rule.
void expect_sound(const Model &model);
// The same with the seeded bug: some run must break a rule.
void expect_found(const Model &model, testing::SeededBug bug);

} // namespace gs::models
