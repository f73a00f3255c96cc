// SPDX-License-Identifier: Apache-2.0
// Raw streams and events. They must be alive, so they are those of foreign.hpp and the program's own.
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/foreign.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

void stream_from_native(Arguments &a) {
    const gs_device_t device = a.device();
    const uintptr_t native = a.native(false);
    a.returned(gs_stream_from_native(device, native, a.handle_output<gs_stream_t>("out_stream")));
}

// No driver knows the device of an event, so the caller must be right.
gs_device_t device_of(uintptr_t native, gs_device_t otherwise) {
    for (size_t i = 0; i < g_foreign.events.size(); ++i)
        if (g_foreign.events[i] == native) return static_cast<gs_device_t>(i);
    return otherwise;
}

void event_from_native(Arguments &a) {
    const gs_device_t drawn = a.device();
    const uintptr_t native = a.native(true);
    const gs_device_t device = device_of(native, drawn);
    a.returned(gs_event_from_native(device, native, a.handle_output<gs_event_t>("out_event")));
}

void stream_from_native_owned(Arguments &a) {
    const gs_device_t device = a.device();
    const uintptr_t native = a.native(false);
    const bool null = a.byte() == 0xFF;
    const auto release = [](void *program) { ++static_cast<Program *>(program)->released; };
    gs_stream_t *out = a.handle_output<gs_stream_t>("out_stream");
    a.returned(gs_stream_from_native_owned(device, native, null ? nullptr : +release, &a.program(), out));
    if (a.status() == GS_OK) ++a.program().releases_due;
}

void event_from_native_owned(Arguments &a) {
    const gs_device_t drawn = a.device();
    const uintptr_t native = a.native(true);
    const gs_device_t device = device_of(native, drawn);
    const bool null = a.byte() == 0xFF;
    const auto release = [](void *program) { ++static_cast<Program *>(program)->released; };
    gs_event_t *out = a.handle_output<gs_event_t>("out_event");
    a.returned(gs_event_from_native_owned(device, native, null ? nullptr : +release, &a.program(), out));
    if (a.status() == GS_OK) ++a.program().releases_due;
}

// A stream or event that is given away must then be destroyed behind the library's back, so none is: these calls are
// made on what they refuse.
template <typename Handle>
void refused(Arguments &a, gs_status_t (*into_native)(Handle, uintptr_t *)) {
    auto handle = a.handle<Handle>("object");
    const Model &model = a.program().model;
    if (model.alive(reinterpret_cast<uint64_t>(handle), kind_of<Handle>()) != Alive::No) handle = nullptr;
    uintptr_t *out = a.output<uintptr_t>("out_native");
    a.depends_on_more_than_handles();
    a.returned(into_native(handle, out));
    FUZZ_REQUIRE(a.status() != GS_OK, "a dead handle was given away");
}

} // namespace

std::vector<SpecialCall> native_calls() {
    return {{"gs_stream_from_native", stream_from_native},
            {"gs_stream_from_native_owned", stream_from_native_owned},
            {"gs_event_from_native", event_from_native},
            {"gs_event_from_native_owned", event_from_native_owned},
            {"gs_stream_into_native", [](Arguments &a) { refused(a, gs_stream_into_native); }},
            {"gs_event_into_native", [](Arguments &a) { refused(a, gs_event_into_native); }}};
}

} // namespace gs::fuzz
