// SPDX-License-Identifier: Apache-2.0
// Shared by the probes: the driver, opened directly without gpustream, and a gate that holds a stream until the host
// opens it.
#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "backend/cuda/driver/driver_types.hpp"

namespace probes {

struct Driver {
#define X(field, function, version, suffix, need) PFN_##function##_v##version field = nullptr;
#include "backend/cuda/driver/driver_functions.inc"
};

inline Driver d;

inline void must(CUresult result, const char *what) {
    if (result == CUDA_SUCCESS) return;
    std::printf("could not be settled: %s failed with %d\n", what, static_cast<int>(result));
    std::fflush(stdout);
    std::_Exit(3);
}
#define GS_MUST(call) ::probes::must((call), #call)

// Loads the driver without initialising it.
inline void load_driver() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::printf("could not be settled: %s\n", dlerror());
        std::fflush(stdout);
        std::_Exit(3);
    }
#define X(field, function, version, suffix, need)                                                                      \
    d.field = reinterpret_cast<PFN_##function##_v##version>(dlsym(library, #function suffix));
#include "backend/cuda/driver/driver_functions.inc"
}

// Driver ready, device 0's primary context current.
inline CUcontext start() {
    load_driver();
    GS_MUST(d.init(0));
    CUcontext context = nullptr;
    GS_MUST(d.primary_ctx_retain(&context, 0));
    GS_MUST(d.ctx_set_current(context));
    return context;
}

inline CUstream new_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    CUstream stream = nullptr;
    GS_MUST(d.stream_create(&stream, flags, 0));
    return stream;
}

inline CUevent new_event(unsigned flags = CU_EVENT_DISABLE_TIMING) {
    CUevent event = nullptr;
    GS_MUST(d.event_create(&event, flags));
    return event;
}

// Work that stays pending until open(): a wait for a word of host memory.
class Gate {
public:
    Gate() {
        void *pointer = nullptr;
        GS_MUST(d.mem_host_alloc(&pointer, sizeof(uint32_t), CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
        word_ = static_cast<volatile uint32_t *>(pointer);
        *word_ = 0;
        GS_MUST(d.mem_host_get_device_pointer(&address_, pointer, 0));
    }
    void close(CUstream stream) { GS_MUST(d.stream_wait_value32(stream, address_, 1, CU_STREAM_WAIT_VALUE_GEQ)); }
    void open() { *word_ = 1; }

private:
    volatile uint32_t *word_ = nullptr;
    CUdeviceptr address_ = 0;
};

// One finding. Flushed at once: the next call may be the one that crashes.
#define GS_FINDING(...)                                                                                                \
    do {                                                                                                               \
        std::printf(__VA_ARGS__);                                                                                      \
        std::printf("\n");                                                                                             \
        std::fflush(stdout);                                                                                           \
    } while (0)

struct Probe {
    const char *name; // "P6.0"
    void (*run)();
    bool only_by_name = false; // not part of a plain run
};

// The lists of the other files.
extern const Probe kCaptureProbes[];
extern const int kCaptureProbeCount;
extern const Probe kGraphProbes[];
extern const int kGraphProbeCount;
extern const Probe kUpdateProbes[];
extern const int kUpdateProbeCount;
extern const Probe kWordProbes[];
extern const int kWordProbeCount;
extern const Probe kLifetimeProbes[];
extern const int kLifetimeProbeCount;
extern const Probe kContextProbes[];
extern const int kContextProbeCount;
extern const Probe kInterprocessProbes[];
extern const int kInterprocessProbeCount;
extern const Probe kFullQueueProbes[];
extern const int kFullQueueProbeCount;
extern const Probe kThreadProbes[];
extern const int kThreadProbeCount;
extern const Probe kPoolProbes[];
extern const int kPoolProbeCount;

} // namespace probes
