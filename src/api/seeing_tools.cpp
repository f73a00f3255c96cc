// SPDX-License-Identifier: Apache-2.0
// Seeing and checking: ranges, marks and an attached profiler's switch; traces, and the function that hears of operations; what streams
// wait for.
#include <cerrno>

#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/open_ranges.hpp"

using namespace gs::api;

namespace {

gs_status_t profile(const char *function, bool on) noexcept {
    return boundary<Rule::Device>(function, [&](ThreadBlock &thread) -> Status {
        Device *device = nullptr;
        GS_TRY(find_device(thread, GS_DEVICE_CURRENT, &device));
        return device->backend->profile(thread, device->ordinal, on);
    });
}

} // namespace

extern "C" {

gs_status_t gs_range_push(const char *name) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(name);
        return push_range(thread, name);
    });
}

gs_status_t gs_range_pop(void) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &thread) -> Status { return pop_range(thread); });
}

gs_status_t gs_range_start(const char *name, uint64_t *out_range) {
    zero(out_range);
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(name);
        GS_INPUT(out_range);
        return start_range(name, out_range);
    });
}

gs_status_t gs_range_end(uint64_t range) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status { return end_range(range); });
}

gs_status_t gs_mark(const char *text) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(text);
        tools::saw_mark(text);
        return kOk;
    });
}

gs_status_t gs_profiler_start(void) { return profile(__func__, true); }
gs_status_t gs_profiler_stop(void) { return profile(__func__, false); }

} // extern "C"

namespace {

Status start(ThreadBlock &thread, const gs_trace_options_t *options, uint64_t *out_number) noexcept {
    gs_trace_options_t read{sizeof read, 0, 0};
    if (options) GS_TRY(read_sized(options, &read));
    GS_TRY(check_flags("flags", read.flags, GS_TRACE_DEVICE_TIMES, "GS_TRACE_DEVICE_TIMES 1"));
    const ToolHooks *hooks = asked_tools(); // the log that the environment asks for is decided before the trace's
    GS_TRY(need_tools(&hooks));
    GS_TRY(ensure_initialized());
    return hooks->start_trace(thread, read, out_number);
}

} // namespace

extern "C" {

gs_status_t gs_trace_begin(const gs_trace_options_t *options, uint64_t *out_trace) {
    return boundary<Rule::Device>(__func__, GS_OUT(out_trace),
                                  [&](ThreadBlock &thread) -> Status { return start(thread, options, out_trace); });
}

gs_status_t gs_trace_end(uint64_t trace) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        return hooks->end_trace(trace);
    });
}

gs_status_t gs_trace_write(uint64_t trace, gs_status_t (*write)(void *arg, const char *text, size_t bytes), void *arg) {
    return boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(write);
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        return hooks->write_trace(thread, trace, write, arg);
    });
}

gs_status_t gs_set_trace_callback(void (*fn)(void *arg, int32_t kind, uint64_t stream, uint64_t object, uint64_t value,
                                             const char *text),
                                  void *arg) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        const ToolHooks *hooks = loaded_tools();
        if (fn) GS_TRY(need_tools(&hooks));
        if (hooks) hooks->set_trace_function(fn, arg);
        return kOk;
    });
}

// Bypasses boundary(): the thread may be anywhere, inside the library too, and must get no block or error record.
gs_status_t gs_dump(int32_t fd) {
    if (fd < 0) return GS_ERROR_INVALID_ARGUMENT;
    const int kept = errno;
    const ToolHooks *hooks = loaded_tools();
    Status status = hooks ? kOk : need_tools(&hooks);
    if (status.ok()) status = hooks->write_dump(fd);
    errno = kept;
    return status.code;
}

gs_status_t gs_explain_wait(gs_stream_t stream, char *out_text, size_t capacity, size_t *out_bytes) {
    if (capacity != 0) zero(out_text);
    return with_stream<Rule::Getter>(__func__, stream, GS_OUT(out_bytes), [&](ThreadBlock &, StreamSlot &) -> Status {
        if (capacity != 0) GS_INPUT(out_text);
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        *out_bytes = hooks->explain_stream(handle_bits(stream), out_text, capacity);
        return kOk;
    });
}

gs_status_t gs_dump_log(const char *path, int32_t fd) {
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(path);
        if (fd < 0) return fail(GS_ERROR_INVALID_ARGUMENT, "fd is %d", fd);
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        return hooks->write_log_file_dump(path, fd);
    });
}

} // extern "C"
