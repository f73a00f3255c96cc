// SPDX-License-Identifier: Apache-2.0
// --captures: each call that the driver refused because of a capture, with its caller and with the captures of that moment.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/thread_block.hpp"
#include "front/driver.hpp"
#include "front/front_locks.hpp"
#include "front/run_settings.hpp"
#include "front/watch.hpp"

namespace gs::front {
namespace {

struct OpenCapture {
    uint64_t stream, thread;
    std::string callers;
};

constexpr size_t kMostReports = 50;

std::vector<OpenCapture> *g_open_captures GS_GUARDED_BY(g_open_captures_mutex) = nullptr;
size_t g_refused GS_GUARDED_BY(g_open_captures_mutex) = 0;
size_t g_broken GS_GUARDED_BY(g_open_captures_mutex) = 0;

bool is_of_captures(CUresult result) noexcept {
    return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

std::string name_of_error(CUresult result) {
    const char *name = nullptr;
    if (g_real.get_error_name) g_real.get_error_name(result, &name);
    return name ? name : std::to_string(static_cast<int>(result));
}

std::string stream_text(uint64_t stream) {
    char text[40];
    std::snprintf(text, sizeof text, "CUstream %#llx", static_cast<unsigned long long>(stream));
    return text;
}

uint64_t own_thread() noexcept {
    ThreadBlock *thread = this_thread();
    return thread ? os_id(*thread) : 0;
}

std::string refusal_text(const Call &call) {
    return "gpustream: thread " + std::to_string(own_thread()) + ": " + call.row->symbol + " returned " +
           name_of_error(call.result) + "; called from " + callers_text() + "\n";
}

void begin(const Call &call) {
    OpenCapture capture{driver_stream(call), own_thread(), callers_text()};
    MutexLock lock(g_open_captures_mutex);
    if (!g_open_captures) g_open_captures = new std::vector<OpenCapture>;
    g_open_captures->push_back(std::move(capture));
}

void end(const Call &call) {
    const uint64_t stream = driver_stream(call);
    MutexLock lock(g_open_captures_mutex);
    if (!g_open_captures) return;
    const auto found = std::find_if(g_open_captures->begin(), g_open_captures->end(),
                                    [&](const OpenCapture &one) { return one.stream == stream; });
    if (found != g_open_captures->end()) g_open_captures->erase(found);
}

void refuse(const Call &call) {
    std::string text = refusal_text(call);
    {
        MutexLock lock(g_open_captures_mutex);
        if (call.row->kind == DriverCall::EndCapture) ++g_broken;
        if (++g_refused > kMostReports || !g_open_captures) return;
        for (const OpenCapture &capture : *g_open_captures)
            text += "    while thread " + std::to_string(capture.thread) + " captures " + stream_text(capture.stream) +
                    ", begun at " + capture.callers + "\n";
    }
    write_report(printable(text));
}

} // namespace

void saw_capture(const Call &call) noexcept {
    try {
        if (is_of_captures(call.result)) refuse(call);
        if (call.row->kind == DriverCall::BeginCapture && call.result == CUDA_SUCCESS) begin(call);
        if (call.row->kind == DriverCall::EndCapture) end(call);
    } catch (const std::bad_alloc &) {
        write_report("gpustream: no memory to follow a capture\n");
    }
}

void write_captures() noexcept {
    MutexLock lock(g_open_captures_mutex);
    char text[160];
    std::snprintf(text, sizeof text, "gpustream: captures: %zu calls were refused, %zu captures ended broken\n",
                  g_refused, g_broken);
    write_report(printable(text));
}

} // namespace gs::front
