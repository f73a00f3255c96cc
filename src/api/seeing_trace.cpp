// SPDX-License-Identifier: Apache-2.0
// Seeing and checking: traces, and the function that hears of operations.
#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "tools/trace/trace.hpp"
#include "tools/trace/trace_json.hpp"

using namespace gs::api;

namespace {

Status read_options(const gs_trace_options_t *given, gs_trace_options_t *out) noexcept {
    *out = {sizeof *out, 0, 0};
    if (given) GS_TRY(read_sized(given, out));
    if ((out->flags & ~uint32_t{GS_TRACE_DEVICE_TIMES}) != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "flags %#x contain an unknown bit (GS_TRACE_*)", out->flags);
    if (out->operations > trace::kMostOperations)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%llu operations of each thread are more than %llu",
                    static_cast<unsigned long long>(out->operations),
                    static_cast<unsigned long long>(trace::kMostOperations));
    if (out->operations == 0) out->operations = trace::kUsualOperations;
    return kOk;
}

} // namespace

extern "C" {

gs_status_t gs_trace_begin(const gs_trace_options_t *options, uint64_t *out_trace) {
    zero(out_trace);
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_trace);
        gs_trace_options_t read{};
        GS_TRY(read_options(options, &read));
        GS_TRY(ensure_initialized());
        return trace::start_trace(thread, (read.flags & GS_TRACE_DEVICE_TIMES) != 0, read.operations, out_trace);
    });
}

gs_status_t gs_trace_end(uint64_t trace) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status { return trace::end_trace(trace); });
}

gs_status_t gs_trace_write(gs_status_t (*write)(void *arg, const char *text, size_t bytes), void *arg) {
    return boundary<Rule::Blocking>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(write);
        trace::Snapshot snapshot;
        GS_TRY(trace::take_snapshot(&snapshot));
        const trace::Regions regions = snapshot.device_times ? trace::resolve_regions(thread) : trace::Regions{};
        return trace::write_json(snapshot, regions, trace::make_parts(snapshot, regions), write, arg);
    });
}

gs_status_t gs_set_trace_callback(void (*fn)(void *arg, int32_t kind, uint64_t stream, uint64_t object, uint64_t value,
                                             const char *text),
                                  void *arg) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        trace::set_trace_function(fn, arg);
        return kOk;
    });
}

} // extern "C"
