// SPDX-License-Identifier: Apache-2.0
// Seeing and checking: traces, and the function that hears of operations.
#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/hooks/tool_hooks.hpp"

using namespace gs::api;

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
    zero(out_trace);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_trace);
        return start(thread, options, out_trace);
    });
}

gs_status_t gs_trace_end(uint64_t trace) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        return hooks->end_trace(trace);
    });
}

gs_status_t gs_trace_write(gs_status_t (*write)(void *arg, const char *text, size_t bytes), void *arg) {
    return boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(write);
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        return hooks->write_trace(thread, write, arg);
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

} // extern "C"
