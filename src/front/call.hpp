// SPDX-License-Identifier: Apache-2.0
// One call of a watched function of the driver, as driver_calls.inc describes its arguments.
#pragma once

#include <cudaTypedefs.h>

#include <cstddef>
#include <cstdint>

namespace gs::front {

enum class DriverCall : uint8_t {
    Kernel,
    GraphLaunch,
    HostFunction,
    Record,
    Wait,
    WaitValue,
    Write,
    Copy,
    Fill,
    CopyNow, // it may block
    Allocate,
    Free,
    AllocateNow,
    AllocateHost,
    FreeNow, // waits for the device
    SyncStream,
    SyncEvent,
    SyncContext,
    QueryStream,
    QueryEvent,
    MakeStream,
    EndStream,
    MakeEvent,
    EndEvent,
    BeginCapture,
    EndCapture,
    Instantiate,
    UpdateExec,
    ChangeExec, // or end it
    EndGraph,
    AddNode,  // to a graph, which is where other calls have the stream
    Blocking, // for another reason
};

// How a copy or fill says which memory it is about.
enum class CopyForm : uint8_t { Flat, FilledRows, Rows, Layers, OfPeers, Batch, BatchOfLayers };

struct CallRow {
    const char *symbol;
    const char *name; // for cuGetProcAddress
    int version;
    bool per_thread; // stream 0 is the thread's own
    DriverCall kind;
    bool has_stream; // else what it does is in stream 0, or in none
    CopyForm form;
    void *wrapper;
};
extern const CallRow kCallRows[];
extern const size_t kCallRowCount;
extern void *g_real_calls[];

struct Call {
    const CallRow *row;
    void *caller;
    uint64_t stream = 0; // as given
    uint64_t object = 0, other = 0, bytes = 0;
    const uint64_t *arguments = nullptr; // the first ones, if the form is other than Flat
    uint64_t began_ns = 0, took_ns = 0;  // if someone wants to know
    CUevent began = nullptr;             // of --device-times
    CUresult result = CUDA_SUCCESS;
};

// In watch.cpp: what is done ahead of the driver and behind it. The handle of what was made is the object then.
void before_call(Call &call) noexcept;
void after_call(Call &call) noexcept;

} // namespace gs::front
