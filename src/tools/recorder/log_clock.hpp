// SPDX-License-Identifier: Apache-2.0
// The clock of the log: CLOCK_MONOTONIC, read by the processor's counter of ticks where the kernel reads it so itself. That takes
// a third of the time of asking for it.
//
// A scale turns ticks into nanoseconds, for a second at most; then the machine's clock is asked and the next scale begins, so
// that times follow that clock, to a few microseconds, however wrong a scale was. No scale begins before the one before it has
// come to, so that times of all threads are in the order in which they were taken.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread_block.hpp"
#include "tools/recorder/log_alone.hpp"

namespace gs::recorder {

struct LogScale {
    std::atomic<uint64_t> number{0}; // of the scale, from 1; 0: there is none, or it changes right now
    std::atomic<uint64_t> ticks{0};  // its beginning
    std::atomic<uint64_t> ns{0};     // the same
    std::atomic<uint64_t> rate{0};   // nanoseconds of 2^32 ticks
    std::atomic<uint64_t> limit{0};  // so many ticks it is good for
};
extern LogScale g_log_scale __attribute__((visibility("hidden")));

// Asks the machine what it has. Before the first entry; later calls do nothing.
void start_log_clock() noexcept;
// Of a thread that does not log alone, or without a scale that is good: then it makes the next one, or asks the machine's clock.
uint64_t log_clock_by_far(uint32_t thread) noexcept __attribute__((noinline));

#if defined(GPUSTREAM_TESTING)
extern std::atomic<uint64_t (*)()> g_log_ticks_of_test; // nullptr: the processor's
#endif

// Fence: the counter is not read before what the thread has read from others, whose times are then smaller. That takes as long as
// the counter itself.
enum class TickFence { None, AfterLoads };
template <TickFence fence>
inline uint64_t log_ticks() noexcept {
#if defined(GPUSTREAM_TESTING)
    if (auto *ticks = g_log_ticks_of_test.load(std::memory_order_relaxed)) return ticks();
#endif
#if defined(__x86_64__)
    if constexpr (fence == TickFence::AfterLoads) __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks = 0;
    if constexpr (fence == TickFence::AfterLoads) __asm__ volatile("isb" : : : "memory");
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
    return ticks;
#else
    return 0; // there is no scale
#endif
}

// False: there is no scale that is good.
template <TickFence fence>
inline bool read_log_scale(uint64_t *out_ns) noexcept {
    // The ticks come first: those from before the scale are more than any limit, as those of a processor that started again.
    const uint64_t ticks = log_ticks<fence>();
    // As a place of a ring: who sees one word of a scale sees that its number is not there, or is there no more.
    const uint64_t number = g_log_scale.number.load(std::memory_order_acquire); // as model first_record_is_seen_whole
    const uint64_t begin = g_log_scale.ticks.load(std::memory_order_acquire);   // as model first_record_is_seen_whole
    const uint64_t ns = g_log_scale.ns.load(std::memory_order_acquire);         // as model first_record_is_seen_whole
    const uint64_t rate = g_log_scale.rate.load(std::memory_order_acquire);     // as model first_record_is_seen_whole
    const uint64_t limit = g_log_scale.limit.load(std::memory_order_acquire);   // as model first_record_is_seen_whole
    const uint64_t passed = ticks - begin;
    const bool good = number != 0 && passed < limit && g_log_scale.number.load(std::memory_order_relaxed) == number;
    *out_ns = ns + (passed * rate >> 32); // less than 2^62, see kMostNs
    return good;
}

// Nanoseconds, for an entry of the thread with that number. False: log_clock_by_far() has them. Those of one thread may go back, by as
// little as the processor reads its counter early: the thread's ring puts them right. Not in signal handlers.
[[gnu::always_inline]] inline bool log_clock_alone(uint32_t thread, uint64_t *out_ns) noexcept {
    return logs_alone(thread) && read_log_scale<TickFence::None>(out_ns);
}
inline uint64_t log_clock_ns(uint32_t thread) noexcept {
    uint64_t ns = 0;
    return log_clock_alone(thread, &ns) ? ns : log_clock_by_far(thread);
}
inline uint64_t log_clock_ns() noexcept { // of no entry
    const ThreadBlock *thread = t_block;
    return log_clock_by_far(thread ? thread->id : kWithoutBlock);
}

} // namespace gs::recorder
