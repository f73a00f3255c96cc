// SPDX-License-Identifier: Apache-2.0
// Handles: lookup, creation, release, and the rules of ownership.
#include <cstdarg>
#include <cstdio>

#include "base/log.hpp"
#include "simulated/driver_call.hpp"

namespace gs::simulated {
namespace {

const char *const kKindNames[kKinds] = {"stream",      "event", "module",        "memory",
                                        "host memory", "graph", "context",       "executable graph",
                                        "user object", "pool",  "green context", "semaphore"};

// Returns the object of a handle, or an error code.
template <typename T>
CUresult find(Handles<T> &handles, const void *handle, int kind, T **out) {
    T *object = handles.find(handle);
    if (!object) {
        if (handles.dead(handle) && world().excused.count(reinterpret_cast<uintptr_t>(handle)) == 0)
            violation("a destroyed %s, %p, was passed to the driver", kKindNames[kind], handle);
        return CUDA_ERROR_INVALID_HANDLE;
    }
    Thread &self = thread();
    if (object->owner != 0 && object->owner != self.owner)
        violation("%s %p of owner %llu was used for owner %llu", kKindNames[kind], handle,
                  static_cast<unsigned long long>(object->owner), static_cast<unsigned long long>(self.owner));
    note(kind, handle);
    touch(object->context->device);
    *out = object;
    return health(*object->context);
}

template <typename T>
T *make(Handles<T> &handles, Context &context, int kind) {
    T *object = handles.slab.take();
    object->context = &context;
    object->owner = 0;
    object->in_flight = 0;
    object->orphan = false;
    handles.ever.insert(reinterpret_cast<uintptr_t>(object));
    world().excused.erase(reinterpret_cast<uintptr_t>(object));
    note_made(kind, *object);
    note(kind, object);
    return object;
}

template <typename T>
void give_back(Handles<T> &handles, T &object) {
    thread().destroyed = reinterpret_cast<uintptr_t>(&object);
    if (thread().made == &object) thread().made = nullptr;
    if (world().handle_reuse)
        handles.slab.give_back(&object);
    else
        object.live.store(0);
}

CUresult per_thread_stream(Context &context, Stream **out) {
    Stream *&slot = context.per_thread[thread().id];
    if (!slot) {
        gs::ThreadBlock *block = gs::this_thread();
        engine::Stream *native = nullptr;
        if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
        const engine::Result made = world().engine->per_thread_stream(*block, *context.native, &native);
        if (made != engine::Result::Ok) return to_result(made, context);
        slot = new Stream; // known by the number 2 alone, never destroyed
        slot->context = &context;
        slot->native = native;
        slot->id = world().next_stream++;
    }
    *out = slot;
    return CUDA_SUCCESS;
}

} // namespace

World &world() {
    static World *const instance = new World;
    return *instance;
}

void violation(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (world().records_violations)
        world().violations.emplace_back(text);
    else
        log_message(GS_LOG_WARNING, "simulated driver: %s", text);
}

void note(int kind, const void *handle) { thread().last[kind] = reinterpret_cast<uintptr_t>(handle); }

void note_made(int, Object &object) { thread().made = &object; }

void check_idle(const Object &object, const char *what) {
    if (object.in_flight > 0)
        violation("%s %p was destroyed while another thread waited with it", what, static_cast<const void *>(&object));
}

CUresult find_stream(CUstream handle, Stream **out) {
    if (handle != nullptr && handle != CU_STREAM_LEGACY && handle != CU_STREAM_PER_THREAD) {
        const CUresult result = find(world().streams, handle, kStreamKind, out);
        // Its green context has ended: it can only be destroyed.
        const bool detached = result == CUDA_SUCCESS && (*out)->green != 0 &&
                              world().green_contexts.count((*out)->green) == 0 && thread().fn != Fn::StreamDestroy;
        return detached ? static_cast<CUresult>(917) : result; // CUDA_ERROR_STREAM_DETACHED
    }
    Context *context = nullptr;
    if (const CUresult result = current_context(&context); result != CUDA_SUCCESS) return result;
    if (handle == CU_STREAM_PER_THREAD) return per_thread_stream(*context, out);
    *out = context->legacy;
    return CUDA_SUCCESS;
}

CUresult find_event(CUevent handle, Event **out) { return find(world().events, handle, kEventKind, out); }

CUresult find_module(CUmodule handle, Module **out) { return find(world().modules, handle, kModuleKind, out); }

Stream *new_stream(Context &context, engine::Stream *native, unsigned flags, int priority) {
    Stream *stream = make(world().streams, context, kStreamKind);
    stream->native = native;
    stream->id = world().next_stream++;
    stream->priority = priority;
    stream->flags = flags;
    stream->green = 0;
    stream->capture_nodes.clear();
    stream->attributes.clear();
    context.streams.insert(stream);
    return stream;
}

Event *new_event(Context &context, engine::Event *native, unsigned flags) {
    Event *event = make(world().events, context, kEventKind);
    event->native = native;
    event->flags = flags;
    context.events.insert(event);
    return event;
}

Module *new_module(Context &context) {
    Module *module = make(world().modules, context, kModuleKind);
    module->is_library = false;
    context.modules.insert(module);
    return module;
}

Context *context_of(const engine::Device &device) {
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others})
        for (Context *context : *list)
            if (context->native == &device) return context;
    return w.primary[static_cast<size_t>(device.ordinal) % w.primary.size()]; // it has had another life since
}

Graph *graph_handle(engine::Graph &native, bool counted) {
    Graph *&slot = world().graph_of[native.id];
    if (!slot) {
        Object *made = thread().made; // by the call in progress, which may not have asked for the graph
        slot = make(world().graphs, *context_of(*native.device), kGraphKind);
        slot->id = native.id;
        thread().made = made;
    }
    if (!counted) return slot;
    slot->context->graphs.insert(slot);
    note_made(kGraphKind, *slot);
    return slot;
}

engine::Graph *native_graph(const Graph &graph) { return world().engine->find_graph(graph.id); }

GraphExec *new_graph_exec(engine::GraphExec &native) {
    Context &context = *context_of(*native.device);
    GraphExec *exec = make(world().graph_execs, context, kGraphExecKind);
    exec->native = &native;
    context.graph_execs.insert(exec);
    return exec;
}

void free_stream(Stream &stream) {
    world().engine->stream_destroy(*stream.native);
    stream.context->streams.erase(&stream);
    give_back(world().streams, stream);
}

void free_event(Event &event) {
    world().engine->event_destroy(*event.native);
    event.context->events.erase(&event);
    give_back(world().events, event);
}

void free_module(Module &module) {
    for (const auto &entry : module.kernels) world().kernels.erase(entry.second.get());
    module.kernels.clear();
    module.context->modules.erase(&module);
    give_back(world().modules, module);
}

// The graphs within it have ended as well; their handles find no graph any more.
void free_graph(Graph &graph) {
    world().graph_of.erase(graph.id);
    if (engine::Graph *native = native_graph(graph)) (void)world().engine->graph_destroy(*native);
    graph.context->graphs.erase(&graph);
    give_back(world().graphs, graph);
}

void free_graph_exec(GraphExec &exec) {
    world().engine->exec_destroy(*exec.native);
    exec.context->graph_execs.erase(&exec);
    give_back(world().graph_execs, exec);
}

} // namespace gs::simulated
