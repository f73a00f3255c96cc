// SPDX-License-Identifier: Apache-2.0
// Whether one thread alone has logged in this process. It then has nothing to learn from entries of others, so that its own order is
// enough: it takes times and numbers without what orders them between threads, which is most of what an entry costs.
//
// An entry of a thread follows its look at the word, and a second thread leaves "several" there, permanently. Who has learnt of that
// thread's entry, by whatever the program has, sees this: the word only ever changes from none to one thread and to several.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs::recorder {

inline constexpr uint32_t kNobodyLogs = 0;                // threads are numbered from 1 (ThreadBlock::id)
inline constexpr uint32_t kWithoutBlock = UINT32_MAX - 1; // of a thread that has no number: never alone
inline constexpr uint32_t kSeveralLog = UINT32_MAX;

struct alignas(64) LogAlone { // read by each entry and hardly ever written
    std::atomic<uint32_t> thread{kNobodyLogs};
};
extern LogAlone g_log_alone __attribute__((visibility("hidden")));

inline bool logs_alone(uint32_t thread) noexcept {
    return g_log_alone.thread.load(std::memory_order_relaxed) == thread;
}
// For a thread that is not known to be: before its entry.
void note_who_logs(uint32_t thread) noexcept;

} // namespace gs::recorder
