// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"

namespace gs::fuzz {
namespace {

// By what the driver knows: several handles may name one raw event.
uint64_t event_key(const Arguments &a, size_t index) {
    const uint64_t handle = a.input_handle(index);
    uint64_t id = 0;
    return gs_event_id(reinterpret_cast<gs_event_t>(handle), &id) == GS_OK && id != 0 ? id : handle; // NOLINT
}

// The generated call, and then, if it succeeded, what it means.
template <typename Meaning>
void observed(const char *name, Arguments &a, Meaning meaning) {
    make_generated(name, a);
    if (a.status() == GS_OK) meaning(a.program().order);
}

// Inputs of kind event are found by their place among all handles.
constexpr size_t kFirst = 0, kSecond = 1;

} // namespace

#define GS_OBSERVED(function, meaning)                                                                                 \
    {#function, [](Arguments &a) { observed(#function, a, [&](Order &order) { meaning; }); }}

std::vector<SpecialCall> order_calls() {
    return {
        GS_OBSERVED(gs_event_record, order.record(event_key(a, kFirst), a.stream_name(0))),
            GS_OBSERVED(gs_stream_record_event, order.record(event_key(a, kSecond), a.stream_name(0))),
            GS_OBSERVED(gs_event_wait, order.wait_event(a.stream_name(0), event_key(a, kFirst))),
            GS_OBSERVED(gs_stream_wait_event, order.wait_event(a.stream_name(0), event_key(a, kSecond))),
            GS_OBSERVED(gs_stream_wait_stream, order.wait_stream(a.stream_name(0), a.stream_name(1))),
            GS_OBSERVED(gs_stream_synchronize, order.check_stream(a.stream_name(0), "gs_stream_synchronize")),
            GS_OBSERVED(gs_event_synchronize, order.check_event(event_key(a, kFirst), "gs_event_synchronize")),
            GS_OBSERVED(gs_stream_query,
                        if (a.first_output() == 1) order.check_stream(a.stream_name(0), "gs_stream_query")),
            GS_OBSERVED(gs_event_query, if (static_cast<int32_t>(a.first_output()) == 1)
                                            order.check_event(event_key(a, kFirst), "gs_event_query")),
            GS_OBSERVED(gs_event_elapsed_ms, order.check_event(event_key(a, kFirst), "gs_event_elapsed_ms");
                        order.check_event(event_key(a, kSecond), "gs_event_elapsed_ms")),
            GS_OBSERVED(gs_event_time_ns, order.check_event(event_key(a, kFirst), "gs_event_time_ns")),
    };
}

} // namespace gs::fuzz
