// SPDX-License-Identifier: Apache-2.0
// Streams and the driver's: raw streams and events. They must be alive, so they are those of foreign.hpp and the program's own.
#include <algorithm>

#include "fuzz/api/arguments.hpp"
#include "fuzz/api/driver_faults.hpp"
#include "fuzz/api/foreign.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

void create_stream(Arguments &a) {
    const gs_device_t device = a.device();
    const auto priority = a.number<int32_t>("priority");
    const auto flags = a.number<uint32_t>("flags");
    a.returned(gs_stream_create(device, priority, flags, a.handle_output<gs_stream_t>("out_stream")));
    if (a.status() == GS_OK && (flags & GS_STREAM_SHARED)) ++a.program().kept_streams;
}

void stream_from_native(Arguments &a) {
    const gs_device_t device = a.device();
    const uintptr_t native = a.native(false);
    a.returned(gs_stream_from_native(device, native, a.handle_output<gs_stream_t>("out_stream")));
}

// No driver knows the device of an event, so the caller must be right.
gs_device_t device_of(const Program &program, uintptr_t native, gs_device_t otherwise) {
    for (const Program::Given &one : program.given)
        if (one.event && one.native == native) return one.device;
    for (size_t i = 0; i < g_foreign.events.size(); ++i)
        if (g_foreign.events[i] == native) return static_cast<gs_device_t>(i);
    return otherwise;
}

void event_from_native(Arguments &a) {
    const gs_device_t drawn = a.device();
    const uintptr_t native = a.native(true);
    const gs_device_t device = device_of(a.program(), native, drawn);
    a.returned(gs_event_from_native(device, native, a.handle_output<gs_event_t>("out_event")));
}

void owned(Arguments &a) {
    if (a.status() != GS_OK) return;
    ++a.program().releases_due;
    a.program().model.set_release_due(a.output_handle(), true);
}

void stream_from_native_owned(Arguments &a) {
    const gs_device_t device = a.device();
    const uintptr_t native = a.native(false);
    const bool null = a.byte() == 0xFF;
    const auto release = [](void *program) { ++static_cast<Program *>(program)->released; };
    gs_stream_t *out = a.handle_output<gs_stream_t>("out_stream");
    a.returned(gs_stream_from_native_owned(device, native, null ? nullptr : +release, &a.program(), out));
    owned(a);
}

void event_from_native_owned(Arguments &a) {
    const gs_device_t drawn = a.device();
    const uintptr_t native = a.native(true);
    const gs_device_t device = device_of(a.program(), native, drawn);
    const bool null = a.byte() == 0xFF;
    const auto release = [](void *program) { ++static_cast<Program *>(program)->released; };
    gs_event_t *out = a.handle_output<gs_event_t>("out_event");
    a.returned(gs_event_from_native_owned(device, native, null ? nullptr : +release, &a.program(), out));
    owned(a);
}

bool is_given(const Program &program, uintptr_t native) {
    const auto is = [native](const Program::Given &one) { return one.native == native; };
    const auto foreign = [native](const std::vector<uintptr_t> &list) {
        return std::find(list.begin(), list.end(), native) != list.end();
    };
    return std::any_of(program.given.begin(), program.given.end(), is) || foreign(g_foreign.streams) ||
           foreign(g_foreign.events);
}

// What the library gives away is destroyed at the program's end; until then it may be wrapped again.
template <typename Handle>
void into_native(Arguments &a, gs_status_t (*call)(Handle, uintptr_t *),
                 gs_status_t (*device_of)(Handle, gs_device_t *)) {
    Program &program = a.program();
    const auto handle = a.handle<Handle>("object");
    gs_device_t device = GS_DEVICE_NONE;
    bool known = device_of(handle, &device) == GS_OK;
    if (known && device == GS_DEVICE_NONE) { // the export binds an event
        const WithoutFaults asking;
        known = gs_current_device(&device) == GS_OK;
    }
    uintptr_t *out = a.output<uintptr_t>("out_native");
    a.depends_on_more_than_handles();
    a.returned(call(handle, out));
    if (a.status() != GS_OK) return;
    FUZZ_REQUIRE(known && *out != 0, "what was given away");
    const bool event = std::is_same_v<Handle, gs_event_t>;
    if (!is_given(program, *out)) program.given.push_back({device, *out, event});
    if (program.model.set_release_due(a.input_handle(0), false)) --program.releases_due;
}

} // namespace

std::vector<SpecialCall> native_calls() {
    return {{"gs_stream_create", create_stream},
            {"gs_stream_from_native", stream_from_native},
            {"gs_stream_from_native_owned", stream_from_native_owned},
            {"gs_event_from_native", event_from_native},
            {"gs_event_from_native_owned", event_from_native_owned},
            {"gs_stream_into_native", [](Arguments &a) { into_native(a, gs_stream_into_native, gs_stream_device); }},
            {"gs_event_into_native", [](Arguments &a) { into_native(a, gs_event_into_native, gs_event_device); }}};
}

} // namespace gs::fuzz
