// SPDX-License-Identifier: Apache-2.0
// What the exported functions tell the ordering checker and the log, if one of them is on. They test observed() once, which
// is all that they pay while both are off. The functions take handles and find the objects again: none of this concerns a hot path.
//
// "before" functions are called ahead of what the function does, because its effects may be seen, on another thread, before
// it returns. The others are called after it has succeeded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.hpp"
#include "core/slots.hpp"
#include "tools/check/on_off.hpp"
#include "tools/recorder/log_notes.hpp"

namespace gs::check {

#define GS_COLD __attribute__((cold, noinline))

GS_COLD void check_record(uint64_t event, uint64_t stream) noexcept;
GS_COLD void check_wait(uint64_t stream, uint64_t event) noexcept;
GS_COLD void check_wait_stream(uint64_t stream, uint64_t other) noexcept;
GS_COLD void check_submit(uint64_t stream) noexcept;
GS_COLD void check_event_done(uint64_t event) noexcept;
GS_COLD void check_stream_done(uint64_t stream) noexcept;
// The log, which runs in production, is not to wait for the checker, which does not.
inline void saw_record(uint64_t event, uint64_t stream) noexcept {
    recorder::note_event(recorder::LogCall::Record, stream, event);
    if (may_be_checked()) check_record(event, stream);
}
inline void saw_wait(uint64_t stream, uint64_t event) noexcept {
    recorder::note_event(recorder::LogCall::Wait, stream, event);
    if (may_be_checked()) check_wait(stream, event);
}
inline void saw_wait_stream(uint64_t stream, uint64_t other) noexcept {
    recorder::note(recorder::LogCall::WaitStream, stream, other);
    if (may_be_checked()) check_wait_stream(stream, other);
}
inline void saw_submit(uint64_t stream) noexcept { // work that accesses no memory, as far as is known
    recorder::note(recorder::LogCall::Submit, stream);
    if (may_be_checked()) check_submit(stream);
}
GS_COLD void before_function(uint64_t stream) noexcept; // is put behind the stream's work

GS_COLD void before_capture_end(uint64_t stream) noexcept;
GS_COLD void before_launch(uint64_t exec, uint64_t stream) noexcept;
GS_COLD void saw_launch(uint64_t exec, uint64_t stream) noexcept;
GS_COLD void saw_launch_fail(uint64_t exec) noexcept;
GS_COLD void saw_exec(uint64_t exec, uint64_t graph) noexcept; // it is what the graph is now
// It has other arguments. dst, src: of a copy; only dst: of a fill; none: they are not known.
GS_COLD void saw_exec_node(uint64_t exec, gs_node_t node, const void *dst, const void *src, size_t bytes) noexcept;
GS_COLD void saw_exec_switch(uint64_t exec, gs_node_t node, bool on) noexcept;
GS_COLD void saw_exec_end(uint64_t exec) noexcept; // one reference fewer: it may live on
GS_COLD void saw_graph_end() noexcept;             // likewise
GS_COLD void saw_child(uint64_t graph, gs_node_t node, uint64_t child) noexcept;
GS_COLD void saw_clone(uint64_t graph, uint64_t copy) noexcept;

// Signals: a number for after_signal(), 0 if the checker does not see it.
GS_COLD uint64_t before_signal(uint64_t stream, uint64_t timeline, uint64_t value) noexcept;
GS_COLD uint64_t before_host_signal(uint64_t timeline, uint64_t value) noexcept;
// stream: 0 for the host's.
GS_COLD void after_signal(uint64_t stream, uint64_t timeline, uint64_t value, uint64_t number, bool happens) noexcept;
GS_COLD void saw_wait_timeline(uint64_t stream, uint64_t timeline, uint64_t value) noexcept;
GS_COLD void saw_timeline(uint64_t timeline, uint64_t value,
                          bool exact) noexcept;                          // the thread: it has reached the value
GS_COLD void saw_timeline_end(uint64_t timeline, bool aborted) noexcept; // else one reference fewer
GS_COLD void saw_wait_word(uint64_t stream) noexcept;

// The calling thread has seen that it is done.
inline void saw_event_done(uint64_t event) noexcept {
    recorder::note_event(recorder::LogCall::SeenEvent, 0, event);
    if (may_be_checked()) check_event_done(event);
}
inline void saw_stream_done(uint64_t stream) noexcept {
    recorder::note(recorder::LogCall::SeenStream, stream);
    if (may_be_checked()) check_stream_done(stream);
}
GS_COLD void saw_device_done(int32_t device) noexcept;
// Whether the checker expects the entry.
GS_COLD bool before_add_stream(uint64_t queue, uint64_t stream, uint64_t token) noexcept;
GS_COLD bool before_add_event(uint64_t queue, uint64_t event, uint64_t token) noexcept;
GS_COLD void saw_add_fail(uint64_t queue, uint64_t token) noexcept;
GS_COLD void saw_entries(uint64_t queue, const gs_completion_t *entries, size_t count) noexcept;

GS_COLD void saw_copy(uint64_t stream, const void *dst, const void *src, size_t bytes) noexcept;
GS_COLD void saw_fill(uint64_t stream, const void *dst, size_t bytes) noexcept;
GS_COLD void saw_allocation(uint64_t stream, const void *address, size_t bytes) noexcept;
// Returns bytes for saw_free_fail(), 0 if the checker does not see it.
GS_COLD size_t before_free(uint64_t stream, const void *address) noexcept;
GS_COLD void saw_free(uint64_t stream, const void *address) noexcept; // in a capture; elsewhere before_free() says all
GS_COLD void saw_free_fail(const void *address, size_t bytes) noexcept; // the caller still has it
GS_COLD void saw_host_allocation(const void *address, size_t bytes) noexcept;
GS_COLD void before_host_free(const void *address) noexcept;
// gs_check_read, gs_check_write. Under the caller's CallMark.
GS_COLD Status declare_access(ThreadBlock &thread, StreamSlot &stream, bool write, const void *address, size_t bytes,
                              const char *label) noexcept;
// gs_graph_check_read, gs_graph_check_write.
GS_COLD void declare_node_access(ThreadBlock &thread, uint64_t graph, gs_node_t node, bool write, const void *address,
                                 size_t bytes, const char *label) noexcept;

GS_COLD void saw_stream_end(uint64_t stream) noexcept; // one reference fewer: it may live on
GS_COLD void saw_event_end(uint64_t event) noexcept;
GS_COLD void saw_queue_end(uint64_t queue) noexcept; // it lives no more

#undef GS_COLD

} // namespace gs::check
