// SPDX-License-Identifier: Apache-2.0
// --stats: how often each function was called, by which library, and how long the driver took.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/dynlib.hpp"
#include "base/text.hpp"
#include "front/front_locks.hpp"
#include "front/pointer_table.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"
#include "tools/call_stack.hpp"

namespace gs::front {
namespace {

constexpr size_t kMostRows = 256, kMostCallers = 32; // the last one is for all that have no place

struct Count {
    std::atomic<uint64_t> calls{0}, ns{0}, failed{0};
};
Count g_counts[kMostRows][kMostCallers];

std::string *g_callers[kMostCallers] = {};
std::atomic<size_t> g_caller_count{0};
PointerTable g_known; // by return address: the caller's number plus 1

bool is_runtime(const char *file) noexcept { return std::strncmp(file, "libcudart", 9) == 0; }

const char *file_of(uintptr_t address) noexcept {
    const CodeAddress place = code_address(address - 1);
    const char *file = place.file ? place.file : "?";
    const char *slash = std::strrchr(file, '/');
    return slash ? slash + 1 : file;
}

// Not the runtime that the library calls.
std::string library_of(void *caller) {
    const char *first = file_of(reinterpret_cast<uintptr_t>(caller));
    if (!is_runtime(first)) return first;
    for (const uintptr_t frame : capture_call_stack()) {
        const char *file = file_of(frame);
        if (!is_runtime(file) && !is_front(frame)) return file;
    }
    return first;
}

size_t number_of_library(const std::string &library) {
    MutexLock lock(g_callers_mutex);
    const size_t count = g_caller_count.load(std::memory_order_relaxed);
    for (size_t i = 0; i < count; ++i)
        if (*g_callers[i] == library) return i;
    if (count == kMostCallers - 1) return count;
    g_callers[count] = new std::string(library);
    g_caller_count.store(count + 1, std::memory_order_release);
    return count;
}

size_t number_of_caller(void *caller) noexcept {
    std::atomic<uint64_t> *known = g_known.find(reinterpret_cast<uintptr_t>(caller), true);
    const uint64_t number = known ? known->load(std::memory_order_relaxed) : 0;
    if (number != 0) return number - 1;
    try {
        const size_t found = number_of_library(library_of(caller));
        // A function of the runtime serves many callers: those are looked for each time.
        if (known && !is_runtime(file_of(reinterpret_cast<uintptr_t>(caller))))
            known->store(found + 1, std::memory_order_relaxed);
        return found;
    } catch (const std::bad_alloc &) {
        return kMostCallers - 1;
    }
}

struct Line {
    const char *symbol;
    const char *library;
    uint64_t calls, ns, failed;
};

std::vector<Line> lines() {
    std::vector<Line> found;
    for (size_t row = 0; row < kCallRowCount; ++row)
        for (size_t caller = 0; caller < kMostCallers; ++caller) {
            const Count &count = g_counts[row][caller];
            const uint64_t calls = count.calls.load(std::memory_order_relaxed);
            if (calls == 0) continue;
            const bool named = caller < g_caller_count.load(std::memory_order_acquire);
            found.push_back({kCallRows[row].symbol, named ? g_callers[caller]->c_str() : "others", calls,
                             count.ns.load(std::memory_order_relaxed), count.failed.load(std::memory_order_relaxed)});
        }
    std::sort(found.begin(), found.end(), [](const Line &one, const Line &other) { return one.ns > other.ns; });
    return found;
}

} // namespace

void count_call(const Call &call) noexcept {
    Count &count = g_counts[call.row - kCallRows][number_of_caller(call.caller)];
    count.calls.fetch_add(1, std::memory_order_relaxed);
    count.ns.fetch_add(call.took_ns, std::memory_order_relaxed);
    const bool failed = call.result != CUDA_SUCCESS && call.result != CUDA_ERROR_NOT_READY;
    if (failed) count.failed.fetch_add(1, std::memory_order_relaxed);
}

void write_stats() noexcept {
    try {
        std::string text = report_head("calls of the driver, the longest time in it first");
        char line[256];
        for (const Line &one : lines()) {
            std::snprintf(line, sizeof line, "  %10llu calls %12.3f ms  %-32s from %s",
                          static_cast<unsigned long long>(one.calls), static_cast<double>(one.ns) / 1e6, one.symbol,
                          one.library);
            text += line;
            if (one.failed != 0) text += ", " + std::to_string(one.failed) + " failed";
            text += "\n";
        }
        write_report(printable(text));
    } catch (const std::bad_alloc &) {
        write_report("gpustream: no memory to report the calls of the driver\n");
    }
}

} // namespace gs::front
