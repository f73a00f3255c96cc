// SPDX-License-Identifier: Apache-2.0
// Every function of the public header that takes a handle, once for each of its handle parameters: the number under
// test goes there, everything else is valid.
#pragma once

#include <cstdint>
#include <vector>

#include "gpustream.h"

namespace gs::test {

struct LiveObjects {
    gs_stream_t stream = nullptr;
    gs_stream_t other = nullptr;
    gs_event_t event = nullptr;  // timed, recorded
    gs_event_t shared = nullptr; // interprocess
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    void *memory = nullptr;
};

enum class Wants { Stream, OptionalStream, Event, Module, Kernel };

struct HandleCall {
    const char *function;
    Wants wants;
    gs_status_t (*call)(uint64_t handle, const LiveObjects &live);
};
const std::vector<HandleCall> &handle_calls();

} // namespace gs::test
