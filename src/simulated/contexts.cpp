// SPDX-License-Identifier: Apache-2.0
// The world's start, and the lives of contexts. Each life of a context has a device of the engine to itself, so that
// failures and pending work of one cannot reach the next.
#include <algorithm>
#include <cstdlib>

#include "base/fork_state.hpp"
#include "base/process_identity.hpp"
#include "base/thread_block.hpp"
#include "simulated/driver_call.hpp"

namespace gs::simulated {
namespace {

constexpr int kLives = 64; // contexts per device and process

} // namespace

Thread &thread() {
    // Plain data: it must be usable until the very end of the thread.
    static thread_local Thread self;
    static std::atomic<uint64_t> next{1};
    if (self.id == 0) self.id = next.fetch_add(1);
    return self;
}

void touch(int device) {
    World &w = world();
    if (device == w.watched_device) w.watched.emplace_back(info(thread().fn).symbol);
}

CUresult start_world() {
    World &w = world();
    if (w.initialised.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
    engine::EngineOptions options;
    options.devices = w.devices * kLives;
    options.workers = 2;
    options.captures_break = true;
    // Where the identity's file is, too: processes look for both in the same folder.
    if (!gs::shared_directory(&options.shm_directory).ok()) return CUDA_ERROR_OPERATING_SYSTEM;
    w.engine = engine::Engine::create(options);
    if (!w.engine) return CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < w.devices; ++i) {
        auto *context = new Context;
        context->device = i;
        context->primary = true;
        w.primary.push_back(context);
    }
    w.lives.assign(static_cast<size_t>(w.devices), 0);
    if (!gs::guard_threads_in_fork()) return CUDA_ERROR_OUT_OF_MEMORY; // before the driver has any thread
    gs::arm_bad_fork();
    w.initialised.store(true, std::memory_order_release);
    return CUDA_SUCCESS;
}

bool known(const Context *context) {
    const World &w = world();
    return std::count(w.primary.begin(), w.primary.end(), context) +
               std::count(w.others.begin(), w.others.end(), context) >
           0;
}

engine::Device &next_life(int device) {
    World &w = world();
    return w.engine->device(device + w.devices * std::min(w.lives[static_cast<size_t>(device)], kLives - 1));
}

CUresult activate(Context &context) {
    World &w = world();
    int &lives = w.lives[static_cast<size_t>(context.device)];
    if (lives == kLives) return CUDA_ERROR_OUT_OF_MEMORY;
    // The first life of every device keeps its ordinal, which interprocess events carry.
    context.native = &w.engine->device(context.device + w.devices * lives++);
    context.id = w.next_context++;
    context.active = true;
    if (!context.legacy) context.legacy = new Stream;
    context.legacy->live.store(1);
    context.legacy->context = &context;
    context.legacy->native = &w.engine->legacy_stream(*context.native);
    context.legacy->id = w.next_stream++;
    context.legacy->legacy = true;
    return CUDA_SUCCESS;
}

void end_life(Context &context) {
    World &w = world();
    w.engine->latch(*context.native, engine::FaultKind::ContextLost, CUDA_ERROR_CONTEXT_IS_DESTROYED, "reset");
    while (!context.streams.empty()) {
        free_stream(**context.streams.begin());
    }
    while (!context.events.empty()) free_event(**context.events.begin());
    while (!context.modules.empty()) free_module(**context.modules.begin());
    while (!context.graph_execs.empty()) free_graph_exec(**context.graph_execs.begin());
    while (!context.graphs.empty()) free_graph(**context.graphs.begin());
    // Not returned to the system: a running copy may still use it.
    for (const auto &block : context.memory) {
        w.quarantine.push_back(block.first);
        if (block.second.pool != 0) give_to_pool(block.second.pool, block.second.bytes);
    }
    for (const auto &block : context.host_memory) w.quarantine.push_back(block.first);
    context.memory.clear();
    context.host_memory.clear();
    context.registered.clear();
    std::erase_if(w.green_contexts, [&](const auto &entry) { return entry.second.context == &context; });
    std::erase_if(w.semaphore_of, [&](const auto &entry) { return entry.second.context == &context; });
    for (const auto &entry : context.per_thread) w.graveyard.push_back(entry.second);
    context.per_thread.clear();
    context.peers.clear();
    context.limits.clear();
    context.active = false;
}

CUresult to_result(engine::Result result, Context &context) {
    switch (result) {
    case engine::Result::Ok: return CUDA_SUCCESS;
    case engine::Result::NotReady: return CUDA_ERROR_NOT_READY;
    case engine::Result::InvalidValue:
    case engine::Result::MemoryLeft:
    case engine::Result::NothingToFree: return CUDA_ERROR_INVALID_VALUE;
    case engine::Result::OutOfMemory: return CUDA_ERROR_OUT_OF_MEMORY;
    case engine::Result::System: return CUDA_ERROR_OPERATING_SYSTEM;
    case engine::Result::Faulted: return static_cast<CUresult>(world().engine->fault(*context.native).code);
    case engine::Result::ContextLost: return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    case engine::Result::NotRecorded:
    case engine::Result::TimingDisabled: return CUDA_ERROR_INVALID_HANDLE;
    case engine::Result::NotSupported:
    case engine::Result::HasExecutable: // NVIDIA's driver 580, docs/results/2026-11-30-h200x2-stage3.md
    case engine::Result::InterprocessRecord: return CUDA_ERROR_NOT_SUPPORTED;
    case engine::Result::NotAHandle: // the driver's code for any invalid bytes
    case engine::Result::WrongDevice:
    case engine::Result::PeerLost: return CUDA_ERROR_MAP_FAILED;
    case engine::Result::StreamCapturing: return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    case engine::Result::CaptureInvalidated: return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    case engine::Result::CaptureMerge: return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    case engine::Result::CaptureUnmatched: return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    case engine::Result::CaptureUnjoined: return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    case engine::Result::CaptureIsolation: return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    case engine::Result::CaptureImplicit: return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    case engine::Result::CapturedEvent: return CUDA_ERROR_CAPTURED_EVENT;
    case engine::Result::CaptureThread: return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    case engine::Result::CaptureEnded: return CUDA_ERROR_INVALID_VALUE;
    case engine::Result::NotCapturing: return CUDA_ERROR_ILLEGAL_STATE;
    case engine::Result::GraphChanged: return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    default: return CUDA_ERROR_UNKNOWN;
    }
}

CUresult health(Context &context) {
    if (!context.active) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    return to_result(engine::health_of(*context.native), context);
}

CUresult current_context(Context **out) {
    Context *context = thread().current();
    if (!context) return CUDA_ERROR_INVALID_CONTEXT;
    touch(context->device);
    *out = context;
    return health(*context);
}

void break_context(Context &context, int code, const char *origin) {
    if (context.active) world().engine->latch(*context.native, engine::FaultKind::Sticky, code, origin);
}

} // namespace gs::simulated
