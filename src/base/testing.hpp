// SPDX-License-Identifier: Apache-2.0
// Hooks that exist only in the build the tests link (GPUSTREAM_TESTING); in the shipped library they are nothing.
#pragma once

#if defined(GPUSTREAM_TESTING)
#include <atomic>
namespace gs::testing {
enum class Yield { AfterCheck, BeforeReuse, AfterRecordCall, BeforePublish };
enum class SeededBug { None, ReuseWithoutGrace, PublishBeforeCall, SkipWaitAcrossStreams };
inline std::atomic<void (*)(Yield)> yield_hook{nullptr};
inline std::atomic<SeededBug> seeded_bug{SeededBug::None};
inline std::atomic<int> fail_thread_starts{0}; // the next n start_thread calls fail with EAGAIN
inline void yield(Yield where) noexcept {
    if (auto *hook = yield_hook.load(std::memory_order_acquire)) hook(where);
}
inline bool bug(SeededBug which) noexcept { return seeded_bug.load(std::memory_order_relaxed) == which; }
} // namespace gs::testing
#define GS_YIELD(where) ::gs::testing::yield(::gs::testing::Yield::where)
#define GS_BUG(which) ::gs::testing::bug(::gs::testing::SeededBug::which)
#else
#define GS_YIELD(where) ((void)0)
#define GS_BUG(which) false
#endif
