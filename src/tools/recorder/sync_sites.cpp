// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/sync_sites.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/thread_block.hpp"
#include "tools/call_stack.hpp"
#include "tools/tool_locks.hpp"

namespace gs::recorder {
namespace {

constexpr size_t kSites = 512; // pairs of a thread and a call stack
constexpr size_t kCallersShown = 3;

// Written under the mutex before `ready`, but for the counts. Read by signal handlers.
struct SyncSite {
    std::atomic<bool> ready{false};
    uint64_t thread = 0;
    const char *function = nullptr;
    Frames frames;
    std::string place; // "" without an interpreter
    char callers[kCallersBytes] = {};
    std::atomic<uint64_t> count{0}, total_ns{0}, longest_ns{0};
};

SyncSite *g_sync_sites = nullptr; // never freed: of kSites, made before kRareSyncs is set
size_t g_sync_sites_used GS_GUARDED_BY(g_sync_sites_mutex) = 0;
std::atomic<uint64_t> g_syncs_elsewhere{0}; // when the table is full

SyncSite *find_site(uint64_t thread, const char *function, const Frames &frames, const std::string &place)
    GS_REQUIRES(g_sync_sites_mutex) {
    for (size_t i = 0; i < g_sync_sites_used; ++i) {
        SyncSite &site = g_sync_sites[i];
        if (site.thread == thread && site.function == function && site.frames == frames && site.place == place)
            return &site;
    }
    if (g_sync_sites_used == kSites) return nullptr;
    SyncSite &site = g_sync_sites[g_sync_sites_used];
    site.thread = thread;
    site.function = function;
    site.frames = frames;
    site.place = place;
    ++g_sync_sites_used;
    return &site;
}

void count_sync(const std::string &place, const char *function, uint64_t took_ns) {
    ThreadBlock *thread = this_thread();
    const Frames frames = capture_call_stack();
    SyncSite *site = nullptr;
    guard_tool_locks();
    {
        MutexLock lock(g_sync_sites_mutex);
        site = find_site(thread ? os_id(*thread) : 0, function, frames, place);
    }
    if (!site) {
        g_syncs_elsewhere.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    if (!site->ready.load(std::memory_order_relaxed)) {
        describe_callers(frames, site->callers, place); // only its own thread has this site
        // Publishes plain memory, as the record does in model first_record_is_seen_whole.
        site->ready.store(true, std::memory_order_release);
    }
    site->count.fetch_add(1, std::memory_order_relaxed);
    site->total_ns.fetch_add(took_ns, std::memory_order_relaxed);
    if (took_ns > site->longest_ns.load(std::memory_order_relaxed))
        site->longest_ns.store(took_ns, std::memory_order_relaxed);
}

} // namespace

void describe_callers(const Frames &frames, char (&out)[kCallersBytes], const std::string &place) {
    std::string text = place;
    const std::vector<std::string> all = describe_call_stack(frames);
    for (size_t i = kOwnFunctionsShown; i < std::min(all.size(), kOwnFunctionsShown + kCallersShown); ++i)
        text += (text.empty() ? "" : ", from ") + all[i];
    std::strncpy(out, text.c_str(), sizeof out - 1);
}

void watch_syncs() noexcept {
    g_sync_sites = new (std::nothrow) SyncSite[kSites];
    if (!g_sync_sites) return log_message(GS_LOG_WARNING, "no memory to watch calls that block");
    // Publishes plain memory, the table, as the record does in model first_record_is_seen_whole.
    g_rare_state.fetch_or(kRareSyncs, std::memory_order_release);
}

void note_sync(const char *function, uint64_t took_ns) noexcept { note_sync_at({}, function, took_ns); }

void note_sync_at(const std::string &place, const char *function, uint64_t took_ns) noexcept {
    try {
        count_sync(place, function, took_ns);
    } catch (const std::bad_alloc &) {
        g_syncs_elsewhere.fetch_add(1, std::memory_order_relaxed);
    }
}

void write_syncs(TextSink &out) noexcept {
    // As model first_record_is_seen_whole.
    if ((g_rare_state.load(std::memory_order_acquire) & kRareSyncs) == 0) return;
    for (size_t i = 0; i < kSites; ++i) {
        const SyncSite &site = g_sync_sites[i];
        // As model first_record_is_seen_whole.
        if (!site.ready.load(std::memory_order_acquire)) continue;
        out << "thread " << site.thread << " was blocked by " << site.function << " "
            << site.count.load(std::memory_order_relaxed) << " times, ";
        out.thousandths(site.total_ns.load(std::memory_order_relaxed) / 1000) << " ms in all, ";
        out.thousandths(site.longest_ns.load(std::memory_order_relaxed) / 1000)
            << " ms at most; called from " << site.callers << "\n";
    }
    if (const uint64_t others = g_syncs_elsewhere.load(std::memory_order_relaxed))
        out << "and " << others << " times from other places\n";
}

} // namespace gs::recorder
