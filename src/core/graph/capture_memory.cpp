// SPDX-License-Identifier: Apache-2.0
#include "core/graph/capture_memory.hpp"

#include <new>
#include <vector>

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "core/graph/capture_table.hpp"

namespace gs {
namespace {

// The library's number of the capture in progress that the stream takes part in, if it began through the library; else 0.
Status capture_number(ThreadBlock &thread, const StreamSlot &stream, uint64_t *out, bool *out_began) noexcept {
    CaptureFacts known;
    Graphs *graphs = stream.backend->graphs();
    *out_began = find_begun(thread, stream, &known);
    if (!*out_began && graphs) {
        StreamCapture now;
        bool found = false;
        GS_TRY(graphs->likely_capture(thread, stream.ref(), &now));
        GS_TRY(find_capture(thread, now.id, &known, &found));
        if (!found) known.number = 0;
    }
    *out = known.number;
    return kOk;
}

} // namespace

void note_captured_memory(ThreadBlock &thread, const StreamSlot &stream, void *address) noexcept {
    const gs_error_info_t before = thread.pending;
    uint64_t number = 0;
    bool began = false;
    if (capture_number(thread, stream, &number, &began).ok() && number != 0)
        with_capture(number, [&](Capture &capture) {
            try {
                capture.memory[address] = {stream.device, MemoryOfCapture::Allocated};
            } catch (const std::bad_alloc &) { // its free is left to the driver
            }
        });
    thread.pending = before;
}

Status free_at_end(ThreadBlock &thread, const StreamSlot &stream, void *address, bool *out_taken) noexcept {
    *out_taken = false;
    uint64_t number = 0;
    bool began = false, again = false;
    GS_TRY(capture_number(thread, stream, &number, &began));
    if (number == 0) return kOk;
    with_capture(number, [&](Capture &capture) {
        const auto found = capture.memory.find(address);
        if (found == capture.memory.end() || found->second.device != stream.device) return; // the driver decides
        again = found->second.state != MemoryOfCapture::Allocated;
        if (again) return;
        found->second.state = began ? MemoryOfCapture::Freed : MemoryOfCapture::FreedAtEnd;
        *out_taken = !began;
    });
    return again ? fail(GS_ERROR_INVALID_ARGUMENT, "the capture has freed the memory at %p already", address) : kOk;
}

void free_what_waited(ThreadBlock &thread, StreamSlot &stream, uint64_t number) noexcept {
    const gs_error_info_t before = thread.pending;
    std::map<void *, MemoryOfCapture> memory;
    with_capture(number, [&](Capture &capture) { memory.swap(capture.memory); });
    for (const auto &[address, one] : memory) {
        bool freed = false;
        if (one.state != MemoryOfCapture::FreedAtEnd) continue;
        const Status status = stream.backend->free_async(thread, stream.ref(), address, &freed);
        if (status.code == GS_ERROR_CAPTURING) break; // a broken one
        if (!status.ok())
            log_message(GS_LOG_WARNING, "the graph does not free its memory at %p: %s", address, pending_text());
    }
    thread.pending = before;
}

} // namespace gs
