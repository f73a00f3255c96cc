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

class Memory;
class Sharing;

enum class State { Idle, Ready, Blocked, Done };

struct Thread {
    int id = 0;
    State state = State::Ready;
    Access at;                   // its last point
    bool waits_for_news = false; // it has yielded under weak memory
    uint64_t wakes_at = 0;       // virtual time; 0: no limit
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
// kAlwaysShared, kFence: a point in any case.
bool access(const char *doing, uintptr_t object, bool write, const void *code, bool strict = false) noexcept;
// Sleeps until wake(object); true: the limit (virtual, absolute; 0: none) came first.
bool block(const char *doing, uintptr_t object, uint64_t wakes_at, const void *code) noexcept;
int wake(uintptr_t object, int count) noexcept;
void yield(const void *code) noexcept;
uint64_t now_ns() noexcept;
void drain_all_stores() noexcept;

struct Settings {
    bool buffer_stores = false;
    bool lock_points = false; // each lock and unlock is a point, also if no other thread uses the lock
    Memory *memory = nullptr; // the memory of C++20, in which then all accesses to what threads share are made
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
Sharing &sharing() noexcept;

// What each thread did last, for a report.
std::string describe_threads();

} // namespace gs::schedule
