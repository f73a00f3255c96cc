// SPDX-License-Identifier: Apache-2.0
// Hooks that exist only in the build that the tests link (GPUSTREAM_TESTING). In the shipped library they are empty.
// Hot code has none: what tests need around a driver call is in tests/support/instrumented_backend.cpp.
#pragma once

#if defined(GPUSTREAM_TESTING)
#include <atomic>
#include <cstdio>
#include <cstdlib>
namespace gs {
class Backend;
}
namespace gs::testing {
enum class Yield { AfterCheck, BeforeReuse, AfterRecordCall };
inline std::atomic<void (*)(Yield)> yield_hook{nullptr};
inline std::atomic<int64_t> clock_ahead_ns{0}; // of the machine's clock
inline std::atomic<int> fail_thread_starts{0}; // the next n start_thread calls fail with EAGAIN
// Puts a backend of the tests around each backend that starts, if set.
inline std::atomic<Backend &(*)(Backend &)> instrument_backend{nullptr};
inline void yield(Yield where) noexcept {
    if (auto *hook = yield_hook.load(std::memory_order_acquire)) hook(where);
}
inline Backend &instrumented(Backend &backend) noexcept {
    auto *around = instrument_backend.load(std::memory_order_acquire);
    return around ? around(backend) : backend;
}
void count_lock(int more) noexcept; // of the calling thread: base/thread_block.cpp
int locks_held() noexcept;
inline void check(bool holds, const char *rule, const char *file, int line) noexcept {
    if (holds) return;
    std::fprintf(stderr, "%s:%d: broken rule: %s\n", file, line, rule);
    std::abort();
}
} // namespace gs::testing
#define GS_CLOCK_AHEAD_NS ::gs::testing::clock_ahead_ns.load(std::memory_order_relaxed)
#define GS_YIELD(where) ::gs::testing::yield(::gs::testing::Yield::where)
#define GS_INSTRUMENTED(backend) ::gs::testing::instrumented(backend)
#define GS_CHECK(rule) ::gs::testing::check((rule), #rule, __FILE__, __LINE__)
#define GS_COUNT_LOCK(more) ::gs::testing::count_lock(more)
#else
#define GS_CLOCK_AHEAD_NS 0
#define GS_YIELD(where) ((void)0)
#define GS_INSTRUMENTED(backend) (backend)
#define GS_CHECK(rule) ((void)0)
#define GS_COUNT_LOCK(more) ((void)0)
#endif
