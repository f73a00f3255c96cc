// SPDX-License-Identifier: Apache-2.0
// The bodies of section.h, which add_function.py puts into src/api.
#include <algorithm>
#include <cstring>

#include "api/boundary.hpp"

using gs::Status;
using gs::ThreadBlock;
using gs::api::boundary;
using gs::api::Rule;
using gs::api::zero;

namespace {

Status add_up(const gs_made_weight_t &weight, const int64_t *values, size_t count,
              gs_status_t (*fn)(void *arg, int64_t value), void *arg, gs_made_total_t *total) {
    for (size_t i = 0; i < count; ++i) {
        if (const gs_status_t status = fn ? fn(arg, values[i]) : GS_OK; status != GS_OK)
            return gs::fail(status, "the function refused number %zu", i);
        const double counted = static_cast<double>(values[i]) * weight.factor;
        total->sum += weight.mode == GS_MADE_DOUBLED ? 2 * counted : counted;
        if (i < std::size(total->first)) total->first[i] = values[i];
        ++total->count;
    }
    return gs::kOk;
}

} // namespace

extern "C" {

gs_status_t gs_made_sum(const gs_made_weight_t *weight, const int64_t *values, size_t count,
                        gs_status_t (*fn)(void *arg, int64_t value), void *arg, gs_made_total_t *out_total,
                        gs_event_t *out_event) {
    zero(out_event);
    gs_made_total_t total{};
    total.struct_size = sizeof total;
    const gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(weight);
        GS_INPUT(out_total);
        GS_INPUT(out_event);
        if (count) GS_INPUT(values);
        if (weight->struct_size != sizeof *weight || out_total->struct_size != sizeof total)
            return gs::fail(GS_ERROR_INVALID_ARGUMENT, "a struct_size is out of range");
        if (weight->mode != GS_MADE_PLAIN && weight->mode != GS_MADE_DOUBLED)
            return gs::fail(GS_ERROR_INVALID_ARGUMENT, "there is no mode %d", weight->mode);
        return add_up(*weight, values, count, fn, arg, &total);
    });
    if (status != GS_OK) return status;
    const gs_status_t created = gs_event_create(GS_EVENT_TIMING, out_event);
    if (created == GS_OK) *out_total = total;
    return created;
}

gs_status_t gs_made_doubled_flags(gs_event_t event, uint32_t *out_doubled) {
    gs_event_info_t info = {};
    info.struct_size = sizeof info;
    const gs_status_t status = gs_event_get_info(event, &info);
    if (status == GS_OK) *out_doubled = info.flags * 2;
    return status;
}

gs_status_t gs_made_squares(int64_t below, int64_t *out_values, size_t capacity, size_t *out_count) {
    zero(out_count);
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &) -> Status {
        if (capacity) GS_INPUT(out_values);
        GS_INPUT(out_count);
        for (int64_t i = 0; i * i < below; ++i, ++*out_count)
            if (*out_count < capacity) out_values[*out_count] = i * i;
        return gs::kOk;
    });
}

} // extern "C"
