// SPDX-License-Identifier: Apache-2.0
// Graphs, executables, and the user objects that they keep.
#include <climits>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "simulated/driver_call.hpp"
#include "simulated/graph_parts.hpp"

using namespace gs::simulated;

namespace {

std::atomic<size_t> g_user_objects{0};

// The driver's thread for the functions of user objects.
class Releases {
public:
    Releases() {
        std::thread([this] { run(); }).detach();
    }
    void add(CUhostFn function, void *data) {
        std::lock_guard<std::mutex> lock(mutex_);
        pending_.emplace_back(function, data);
        added_.notify_one();
    }

private:
    void run() {
        ++thread().in_callback;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            added_.wait(lock, [this] { return !pending_.empty(); });
            const auto [function, data] = pending_.front();
            pending_.pop_front();
            lock.unlock();
            function(data);
            lock.lock();
        }
    }
    std::mutex mutex_;
    std::condition_variable added_;
    std::deque<std::pair<CUhostFn, void *>> pending_;
};

CUresult instantiate(CUgraph handle, unsigned long long flags, CUgraphExec *out, CUgraphInstantiateResult *why) {
    engine::Graph *graph = nullptr;
    CUresult result = find_graph(handle, &graph);
    if (result != CUDA_SUCCESS) return result;
    constexpr unsigned long long kKnown = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                          CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                          CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    if (!out || (flags & ~kKnown) != 0) return CUDA_ERROR_INVALID_VALUE;
    uint32_t ours = 0;
    if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0) ours |= engine::kExecAutoFree;
    if ((flags & CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY) != 0) ours |= engine::kExecNodePriorities;
    engine::GraphExec *native = nullptr;
    const engine::Result made = world().engine->exec_create(*graph, ours, &native);
    if (why)
        *why = made == engine::Result::InvalidValue ? CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE
               : made == engine::Result::Ok         ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                                    : CUDA_GRAPH_INSTANTIATE_ERROR;
    if (made != engine::Result::Ok) return graph_result(made, *graph->device);
    *out = reinterpret_cast<CUgraphExec>(new_graph_exec(*native));
    return CUDA_SUCCESS;
}

using Shared = std::shared_ptr<UserObject>;

CUresult keep(engine::Graph &graph, const Shared &object, unsigned count) {
    const auto release = [](void *shared) { delete static_cast<Shared *>(shared); };
    for (unsigned i = 0; i < count; ++i) {
        auto reference = std::make_unique<Shared>(object);
        const engine::Result kept = world().engine->graph_keep(graph, release, reference.get());
        if (kept != engine::Result::Ok) return graph_result(kept, *graph.device);
        (void)reference.release();
    }
    return CUDA_SUCCESS;
}

// The references of the creator that the handle stands for.
CUresult find_references(CUuserObject handle, CreatorReferences **out) {
    const auto found = world().user_objects.find(reinterpret_cast<uintptr_t>(handle));
    if (found == world().user_objects.end()) {
        violation("a user object without a reference of the caller, %p, was passed to the driver",
                  static_cast<const void *>(handle));
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = &found->second;
    return CUDA_SUCCESS;
}

CUresult drop_references(CUuserObject handle, CreatorReferences &references, unsigned count) {
    if (count == 0 || count > references.count) return CUDA_ERROR_INVALID_VALUE;
    references.count -= count;
    if (references.count == 0) world().user_objects.erase(reinterpret_cast<uintptr_t>(handle));
    return CUDA_SUCCESS;
}

CUresult retain(engine::Graph &graph, CUuserObject handle, unsigned count, unsigned flags) {
    CreatorReferences *references = nullptr;
    CUresult result = find_references(handle, &references);
    if (result != CUDA_SUCCESS) return result;
    const bool move = (flags & CU_GRAPH_USER_OBJECT_MOVE) != 0;
    if (count == 0 || (flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) != 0 || (move && count > references->count))
        return CUDA_ERROR_INVALID_VALUE;
    result = keep(graph, references->object, count);
    return result == CUDA_SUCCESS && move ? drop_references(handle, *references, count) : result;
}

} // namespace

namespace gs::simulated {

UserObject::UserObject(CUhostFn destroy, void *data) : destroy_(destroy), data_(data) { ++g_user_objects; }

// As with the real driver, no call waits for the function. It may not call the driver.
UserObject::~UserObject() {
    --g_user_objects;
    static Releases &releases = *new Releases; // never destroyed: its thread outlives main()
    releases.add(destroy_, data_);
}

size_t live_user_objects() { return g_user_objects.load(); }

} // namespace gs::simulated

CUresult api_GraphCreate(CUgraph *out, unsigned flags) {
    return call(
        Fn::GraphCreate,
        [&](Lock &) {
            if (!out || flags != 0) return CUDA_ERROR_INVALID_VALUE;
            // A graph has no context; these are of the current one, of the first there is, or of the next one.
            engine::Device *device = &next_life(0);
            for (Context *context : world().primary)
                if (context->active) device = context->native;
            if (Context *context = thread().current(); context && context->active) device = context->native;
            engine::Graph *graph = nullptr;
            const engine::Result made = world().engine->graph_create(*device, &graph);
            if (made != engine::Result::Ok) return graph_result(made, *device);
            *out = reinterpret_cast<CUgraph>(graph_handle(*graph, true));
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GraphClone(CUgraph *out, CUgraph handle) {
    return call(
        Fn::GraphClone,
        [&](Lock &) {
            engine::Graph *graph = nullptr, *copy = nullptr;
            const CUresult result = find_graph(handle, &graph);
            if (result != CUDA_SUCCESS) return result;
            const engine::Result made = world().engine->graph_clone(*graph, &copy);
            if (made != engine::Result::Ok) return graph_result(made, *graph->device);
            *out = reinterpret_cast<CUgraph>(graph_handle(*copy, true));
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_GraphDestroy(CUgraph handle) {
    return call(Fn::GraphDestroy, [&](Lock &) {
        engine::Graph *graph = nullptr;
        const CUresult result = find_graph(handle, &graph);
        if (result != CUDA_SUCCESS) return result;
        if (graph->parent) return CUDA_ERROR_INVALID_VALUE;
        free_graph(*world().graphs.find(handle));
        return CUDA_SUCCESS;
    });
}

CUresult api_GraphInstantiate(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
    return call(Fn::GraphInstantiate, [&](Lock &) { return instantiate(graph, flags, out, nullptr); }, out);
}

// An executable that was made is the caller's, although a failure of earlier work is returned: result_out says that it was.
CUresult api_GraphInstantiateWithParams(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
    CUresult made = CUDA_ERROR_NOT_READY;
    const CUresult result = call(Fn::GraphInstantiateWithParams, [&](Lock &) {
        if (!params) return CUDA_ERROR_INVALID_VALUE;
        params->hErrNode_out = nullptr;
        return made = instantiate(graph, params->flags, out, &params->result_out);
    });
    if (result == CUDA_SUCCESS || result == CUDA_ERROR_STUB_LIBRARY) return result;
    Lock lock(world().mutex);
    if (made == CUDA_SUCCESS)
        world().graph_execs.find(*out)->orphan = false;
    else
        poison(out);
    return result;
}

CUresult api_GraphLaunch(CUgraphExec handle, CUstream stream_handle) {
    return call(Fn::GraphLaunch, [&](Lock &lock) {
        GraphExec *exec = nullptr;
        Stream *stream = nullptr;
        CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) result = find_stream(stream_handle, &stream);
        if (result != CUDA_SUCCESS) return result;
        if (world().launches_wait) {
            InFlight in_flight(lock, *stream);
            const engine::Result waited = world().engine->stream_synchronize(*stream->native);
            if (waited != engine::Result::Ok) return to_result(waited, *stream->context);
        }
        return graph_result(world().engine->exec_launch(*exec->native, *stream->native), *stream->native->device);
    });
}

CUresult api_GraphUpload(CUgraphExec handle, CUstream stream_handle) {
    return call(Fn::GraphUpload, [&](Lock &) {
        GraphExec *exec = nullptr;
        Stream *stream = nullptr;
        CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) result = find_stream(stream_handle, &stream);
        return result == CUDA_SUCCESS ? check_quiet(*stream) : result;
    });
}

CUresult api_GraphExecDestroy(CUgraphExec handle) {
    return call(Fn::GraphExecDestroy, [&](Lock &) {
        GraphExec *exec = nullptr;
        const CUresult result = find_exec(handle, &exec);
        if (result == CUDA_SUCCESS) free_graph_exec(*exec);
        return result;
    });
}

CUresult api_UserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy, unsigned references, unsigned flags) {
    return call(
        Fn::UserObjectCreate,
        [&](Lock &) {
            if (!out || !destroy || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC || references == 0 ||
                references > INT_MAX)
                return CUDA_ERROR_INVALID_VALUE;
            const uintptr_t handle = world().next_user_object += 0x10;
            world().user_objects[handle] = {std::make_shared<UserObject>(destroy, data), references};
            *out = reinterpret_cast<CUuserObject>(handle);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_UserObjectRetain(CUuserObject object, unsigned count) {
    return call(Fn::UserObjectRetain, [&](Lock &) {
        CreatorReferences *references = nullptr;
        const CUresult result = find_references(object, &references);
        if (result == CUDA_SUCCESS) references->count += count;
        return result;
    });
}

CUresult api_UserObjectRelease(CUuserObject object, unsigned count) {
    return call(Fn::UserObjectRelease, [&](Lock &) {
        CreatorReferences *references = nullptr;
        const CUresult result = find_references(object, &references);
        return result == CUDA_SUCCESS ? drop_references(object, *references, count) : result;
    });
}

CUresult api_GraphRetainUserObject(CUgraph handle, CUuserObject object, unsigned count, unsigned flags) {
    return call(Fn::GraphRetainUserObject, [&](Lock &) {
        engine::Graph *graph = nullptr;
        const CUresult result = find_graph(handle, &graph);
        return result != CUDA_SUCCESS ? result : retain(*graph, object, count, flags);
    });
}

// The engine keeps what a graph keeps until the graph ends, as the driver may.
CUresult api_GraphReleaseUserObject(CUgraph handle, CUuserObject, unsigned count) {
    return call(Fn::GraphReleaseUserObject, [&](Lock &) {
        engine::Graph *graph = nullptr;
        const CUresult result = find_graph(handle, &graph);
        return result == CUDA_SUCCESS && count == 0 ? CUDA_ERROR_INVALID_VALUE : result;
    });
}
