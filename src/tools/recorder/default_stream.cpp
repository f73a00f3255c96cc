// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_SYNCS=null: a warning for each place that uses the default stream.
#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/thread_block.hpp"
#include "core/slots.hpp"
#include "handle/grace.hpp"
#include "tools/recorder/sync_sites.hpp"
#include "tools/tool_locks.hpp"

namespace gs::recorder {
namespace {

constexpr size_t kMostWarned = 512;
std::atomic<bool> g_warns_of_default_stream{false};
std::vector<Frames> *g_warned GS_GUARDED_BY(g_sync_sites_mutex) = nullptr;

void warn_of_caller() {
    const Frames frames = capture_call_stack();
    {
        MutexLock lock(g_sync_sites_mutex);
        if (!g_warned) g_warned = new std::vector<Frames>;
        if (g_warned->size() == kMostWarned || std::find(g_warned->begin(), g_warned->end(), frames) != g_warned->end())
            return;
        g_warned->push_back(frames);
    }
    char callers[kCallersBytes] = {};
    describe_callers(frames, callers);
    const std::vector<std::string> all = describe_call_stack(frames);
    log_message(GS_LOG_WARNING,
                "%s uses the default stream, which waits for all blocking streams of the device and holds them up; "
                "called from %s",
                all.empty() ? "a call" : all[0].c_str(), callers);
}

} // namespace

void watch_default_stream() noexcept { g_warns_of_default_stream.store(true, std::memory_order_relaxed); }

bool warns_of_default_stream() noexcept { return g_warns_of_default_stream.load(std::memory_order_relaxed); }

void note_use_of_stream(uint64_t stream) noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return;
    {
        CallMark mark(*thread);
        const StreamSlot *slot = stream_slots().find(stream);
        if (!slot || slot->kind != StreamKind::Default) return;
    }
    try {
        warn_of_caller();
    } catch (const std::bad_alloc &) {
        log_message(GS_LOG_WARNING, "the default stream is used, and there is no memory to say by whom");
    }
}

} // namespace gs::recorder
