// SPDX-License-Identifier: Apache-2.0
// Raw streams and events. They must be alive, so they are those of foreign.hpp and the program's own.
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"

namespace gs::fuzz {
namespace {

void stream_from_native(Arguments &a) {
    const gs_device_t device = a.device();
    const uintptr_t native = a.native(false);
    a.returned(gs_stream_from_native(device, native, a.handle_output<gs_stream_t>("out_stream")));
}

void event_from_native(Arguments &a) {
    const gs_device_t device = a.device();
    const uintptr_t native = a.native(true);
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

} // namespace

std::vector<SpecialCall> native_calls() {
    return {{"gs_stream_from_native", stream_from_native},
            {"gs_stream_from_native_owned", stream_from_native_owned},
            {"gs_event_from_native", event_from_native}};
}

} // namespace gs::fuzz
