// SPDX-License-Identifier: Apache-2.0
// Seeing and checking: ranges, marks, an attached profiler's switch.
#include "api/with.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/ranges.hpp"

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
