// SPDX-License-Identifier: Apache-2.0
// Runs one thread of the process at a time. The thread that runs hands over at an access to shared memory, when it
// blocks, or when it ends; who is next is a chooser's decision, so that a run can be repeated.
//
// The library is compiled with -fsanitize=thread and linked with atomics.cpp in place of the sanitizer, so each of its
// atomic operations comes here. Its blocking calls come through the linker's --wrap (system_calls.cpp). Time is
// virtual: it stands still while a thread can run and jumps to the next limit when none can.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "schedule/scheduler/chooser.hpp"
#include "schedule/scheduler/store_buffer.hpp"

namespace gs::schedule {

enum class State { Idle, Ready, Blocked, Done };

struct Thread {
    int id = 0;
    State state = State::Ready;
    const char *doing = ""; // its last point: what, on which object, where in the code
    uintptr_t object = 0;
    const void *code = nullptr;
    uint64_t wakes_at = 0; // virtual time; 0: no limit
    bool timed_out = false;
    bool reusable = false; // ended and joined
    StoreBuffer stores;
    std::function<void()> job;
    std::atomic<uint32_t> turn{0};
    pthread_t os{};
};

// The calling thread, nullptr if the scheduler does not know it.
Thread *self() noexcept;

// The calling thread becomes thread 0. Every thread that it starts is known from then on.
void take_over();

// An access to memory that threads may share, ahead of it. Returns true if several threads are known to use it.
// kAlwaysShared: a point in any case.
inline constexpr uintptr_t kAlwaysShared = 0;
bool access(const char *doing, uintptr_t object, bool write, const void *code) noexcept;
// Sleeps until wake(object); true: the limit (virtual, absolute; 0: none) came first.
bool block(const char *doing, uintptr_t object, uint64_t wakes_at, const void *code) noexcept;
int wake(uintptr_t object, int count) noexcept;
void yield(const void *code) noexcept;
uint64_t now_ns() noexcept;
void drain_all_stores() noexcept;

struct Settings {
    bool buffer_stores = false;
    bool lock_points = false; // each lock and unlock is a point, also if no other thread uses the lock
};
Settings settings() noexcept; // of the run; nothing is set between runs

// Threads.
Thread *add_thread() noexcept;              // not running yet
void enter_thread(Thread &thread) noexcept; // called on it: returns at its first turn
void end_thread(Thread &thread) noexcept;   // called on it, last of all

struct Run {
    std::vector<Choice> choices;
    uint64_t points = 0;
    bool grew = false; // an object turned out to be shared that was not known to be
};
inline constexpr int kJobThreads = 4;
// Runs at most kJobThreads jobs on threads 1, 2, ... until all have returned. The chooser is asked during this time only.
Run run_jobs(const std::vector<std::function<void()>> &jobs, Chooser &chooser, Settings settings);
// Lets all other threads run until none can go on within some seconds of virtual time.
void settle();
// Forgets which objects are shared.
void forget_shared();
// Objects that are used in an order which changes from run to run: what is shared of one is shared of all. They are the
// elements of an array; `alike`: they are treated as those of the array that begins there.
void treat_alike(uintptr_t begin, size_t bytes, size_t stride, uintptr_t alike);

// What each thread did last, for a report.
std::string describe_threads();

} // namespace gs::schedule
