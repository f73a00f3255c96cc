// SPDX-License-Identifier: Apache-2.0
// Every function of the public header, called on objects that are alive, and what each must answer in a child forked
// from a process that had started a backend. Calls that name a device name that of the objects.
#pragma once

#include <vector>

#include "gpustream.h"

namespace gs::test {

struct Objects {
    gs_device_t device = 0;
    gs_stream_t stream = nullptr;
    gs_stream_t recorder = nullptr; // event was recorded here: waits of it are elided
    gs_event_t event = nullptr;     // recorded, done, known to be done
    gs_event_t timed = nullptr;     // recorded
    gs_event_t shared = nullptr;    // GS_EVENT_INTERPROCESS
    gs_event_t fresh = nullptr;     // never recorded
    // Of make_objects() numbers that belong to nothing: what counts is that nobody looks.
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    uintptr_t native_stream = 4096;
    uintptr_t native_event = 4096;
    void *memory = nullptr; // 64 bytes of the device
    void *block = nullptr;  // more of them
    const void *image = "/nowhere";
    size_t image_bytes = 0;
    void **arguments = nullptr; // of the kernel
    uint64_t scope = 0;
    void *host_memory = nullptr;
    gs_ipc_handle_t ipc{};
    gs_stream_triple_t triple{};
};
Objects make_objects(gs_device_t device = 0);
void destroy_objects(Objects &objects);

enum class InBadFork { Refused, DoesNothing, Answers };

struct Call {
    const char *name;
    InBadFork expected;
    gs_status_t (*call)(const Objects &objects);
};
const std::vector<Call> &every_call();

} // namespace gs::test
