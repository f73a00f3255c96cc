// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_clock.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/clock.hpp"
#include "base/cpu_relax.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gs::recorder {

LogScale g_log_scale;
#if defined(GPUSTREAM_TESTING)
std::atomic<uint64_t (*)()> g_log_ticks_of_test{nullptr};
#endif

namespace {

constexpr uint64_t kMostNs = 1'000'000'000; // of a scale: 2^32 times as much fits into 64 bits
constexpr uint64_t kFirstNs = 100'000;      // one that knows its rate from less is good for no longer
constexpr uint64_t kMeasuredNs = 20'000;

std::atomic<bool> g_ticks_usable{false};
// One thread at a time makes a scale. It may be interrupted, and in a forked child it may be gone: the machine's clock serves then.
std::atomic<bool> g_scale_is_made{false};

constexpr int kTries = 64; // to get a scale that another thread makes

std::atomic<uint64_t> g_scale_begin{
    0}; // of the newest one, which may not be there yet: no time of an earlier one was later

// What only its maker reads and writes.
struct Pair {
    uint64_t ticks = 0, ns = 0;
};
Pair g_first_pair, g_last_pair;
uint64_t g_scale_number = 0;
uint64_t g_scale_end = 0; // of the newest one, none of whose times is later

// The machine's clock, where a scale has not been ahead of it. A scale is ahead by its own length at most.
uint64_t not_before(uint64_t scale, uint64_t now) noexcept {
    return scale > now && scale - now <= kMostNs ? scale : now;
}

// Both at the same moment, as far as the thread is not interrupted in between: the closest of a few.
Pair read_pair() noexcept {
    Pair best;
    uint64_t closest = UINT64_MAX;
    for (int i = 0; i < 4; ++i) {
        const uint64_t before = log_ticks<TickFence::AfterLoads>(), ns = monotonic_ns(),
                       after = log_ticks<TickFence::AfterLoads>();
        if (after - before > closest) continue;
        closest = after - before;
        best = {before + closest / 2, ns};
    }
    return best;
}

// Nanoseconds of 2^32 ticks; 0: the ticks did not go on as they should.
uint64_t rate_between(const Pair &from, const Pair &to) noexcept {
    const uint64_t ticks = to.ticks - from.ticks, ns = to.ns - from.ns;
    if (ticks == 0 || ticks > UINT64_MAX / 2 || ns == 0) return 0;
    return static_cast<uint64_t>(static_cast<double>(ns) * 4294967296.0 / static_cast<double>(ticks));
}

// Between a nanosecond's part of a fast processor and the 1 MHz of a slow counter.
bool is_sensible(uint64_t rate) noexcept { return rate >= (uint64_t{1} << 28) && rate <= uint64_t{1000} << 32; }

// So that what is ahead now is not any more at the end.
uint64_t slower(uint64_t rate, uint64_t ahead, uint64_t lasts) noexcept {
    return rate -
           static_cast<uint64_t>(static_cast<double>(rate) * static_cast<double>(ahead) / static_cast<double>(lasts));
}

void publish(const Pair &now, uint64_t ns, uint64_t rate, uint64_t lasts_ns) noexcept {
    const auto store = [](std::atomic<uint64_t> &word, uint64_t value) {
        word.store(value, std::memory_order_release); // as model first_record_is_seen_whole
    };
    const auto limit = static_cast<uint64_t>(static_cast<double>(lasts_ns) * 4294967296.0 / static_cast<double>(rate));
    g_log_scale.number.store(0, std::memory_order_relaxed);
    store(g_log_scale.ticks, now.ticks);
    store(g_log_scale.ns, ns);
    store(g_log_scale.rate, rate);
    store(g_log_scale.limit, limit);
    g_scale_end = ns + (limit * rate >> 32);
    store(g_log_scale.number, ++g_scale_number);
}

// The next scale begins where the machine's clock is, or later, and is where that clock is at its end. The one before must have
// ended: else its end is ahead, and so would the next one be.
uint64_t make_scale() noexcept {
    const Pair now = read_pair();
    const uint64_t ns = not_before(g_scale_end, now.ns), ahead = ns - now.ns;
    g_scale_begin.store(ns, std::memory_order_relaxed);
    const uint64_t passed = now.ns - g_first_pair.ns, lasts = std::clamp(passed, kFirstNs, kMostNs);
    const uint64_t rate = rate_between(g_first_pair, now), since = rate_between(g_last_pair, now);
    g_log_scale.number.store(0, std::memory_order_relaxed);
    if (passed < kMeasuredNs) return ns; // too little to measure
    g_last_pair = now;
    // Ticks that have begun again, or that a machine did not count while it slept: what was measured before is worth nothing.
    const bool steady = since <= rate + rate / 64 && rate <= since + since / 64;
    if (!is_sensible(rate) || !steady) {
        g_first_pair = now;
        return ns;
    }
    if (ahead <= lasts / 2) publish(now, ns, slower(rate, ahead, lasts), lasts);
    return ns;
}

class MakesScale {
public:
    // Both hand over plain memory, as the record does in model first_record_is_seen_whole.
    MakesScale() noexcept : may_(!g_scale_is_made.exchange(true, std::memory_order_acquire)) {}
    ~MakesScale() {
        // As above, model first_record_is_seen_whole.
        if (may_) g_scale_is_made.store(false, std::memory_order_release);
    }
    MakesScale(const MakesScale &) = delete;
    MakesScale &operator=(const MakesScale &) = delete;
    bool may() const noexcept { return may_; }

private:
    const bool may_;
};

#if defined(__x86_64__)
// The kernel itself reads the time so: then the counters of all processors agree and go on in every state of power.
bool kernel_uses_ticks() noexcept {
#if defined(GPUSTREAM_TESTING)
    if (g_log_ticks_of_test.load(std::memory_order_relaxed)) return true;
#endif
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned kInvariant = 1u << 8;
    if (!__get_cpuid(0x80000007, &a, &b, &c, &d) || (d & kInvariant) == 0) return false;
    int mode = 0;
    if (prctl(PR_GET_TSC, &mode) == 0 && mode != PR_TSC_ENABLE) return false; // reading it would be a fault
    const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char name[4] = {};
    const ssize_t got = read(file, name, sizeof name);
    close(file);
    return got == sizeof name && std::memcmp(name, "tsc\n", sizeof name) == 0;
}
#elif defined(__aarch64__)
bool kernel_uses_ticks() noexcept { return true; } // the counter is the architecture's clock
#else
bool kernel_uses_ticks() noexcept { return false; }
#endif

// There was no scale that is good.
[[gnu::cold, gnu::noinline]] uint64_t time_without_scale() noexcept {
    if (!g_ticks_usable.load(std::memory_order_relaxed)) return monotonic_ns();
    for (int i = 0; i < kTries; ++i) {
        const MakesScale maker;
        uint64_t ns = 0;
        if (read_log_scale<TickFence::AfterLoads>(&ns)) return ns; // another thread has made one since this one looked
        if (maker.may()) return make_scale();
        cpu_relax();
    }
    return not_before(g_scale_begin.load(std::memory_order_relaxed), monotonic_ns());
}

} // namespace

void start_log_clock() noexcept {
    if (g_ticks_usable.load(std::memory_order_relaxed) || !kernel_uses_ticks()) return;
    const MakesScale maker;
    if (!maker.may()) return;
    g_first_pair = g_last_pair = read_pair();
    g_ticks_usable.store(true, std::memory_order_relaxed);
}

uint64_t log_clock_by_far(uint32_t thread) noexcept {
    note_who_logs(thread);
    uint64_t ns = 0;
    return read_log_scale<TickFence::AfterLoads>(&ns) ? ns : time_without_scale();
}

} // namespace gs::recorder
