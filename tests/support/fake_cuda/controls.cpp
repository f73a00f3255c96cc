// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fake_cuda/faults.hpp"
#include "simulated/driver_call.hpp"
#include "simulated/kernel_launch.hpp"

using namespace gs::simulated;

static_assert(static_cast<int>(FAKE_CUDA_KINDS) == kKinds && static_cast<int>(FAKE_CUDA_SEMAPHORE) == kSemaphoreKind);

namespace {

long long number(const char *name, long long fallback) {
    const char *text = std::getenv(name);
    return text && *text != '\0' ? std::strtoll(text, nullptr, 10) : fallback;
}

std::vector<std::string> split(const char *text) {
    std::vector<std::string> parts;
    std::string part;
    for (const char *at = text ? text : ""; *at != '\0'; ++at) {
        if (*at != ',') {
            part += *at;
            continue;
        }
        parts.push_back(part);
        part.clear();
    }
    if (!part.empty()) parts.push_back(part);
    return parts;
}

void plan_fault(const std::vector<std::string> &parts) {
    if (parts.size() < 3) return;
    fake_cuda_fault_t fault{};
    fault.function = parts[0] == "*" ? nullptr : parts[0].c_str();
    fault.nth = std::strtoull(parts[1].c_str(), nullptr, 10);
    fault.code = std::atoi(parts[2].c_str());
    fault.phase = parts.size() > 3 ? std::atoi(parts[3].c_str()) : FAKE_CUDA_BEFORE;
    fault.mode = parts.size() > 4 ? std::atoi(parts[4].c_str()) : FAKE_CUDA_TRANSIENT;
    set_fault(&fault);
}

template <typename T>
void collect(const std::set<T *> &objects, std::vector<uintptr_t> &out) {
    for (const T *object : objects)
        if (!object->orphan) out.push_back(reinterpret_cast<uintptr_t>(object));
}

void collect(const std::map<uintptr_t, Block> &blocks, std::vector<uintptr_t> &out) {
    for (const auto &block : blocks)
        if (!block.second.orphan) out.push_back(block.first);
}

// A block that its caller can free. One whose allocation failed although it was made keeps the pool as well, but no
// caller has its address.
bool has_known_block(uintptr_t pool) {
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others})
        for (const Context *context : *list)
            for (const auto &block : context->memory)
                if (block.second.pool == pool && !block.second.orphan) return true;
    return false;
}

std::vector<uintptr_t> live(int32_t kind) {
    std::vector<uintptr_t> handles;
    const World &w = world();
    for (const auto *list : {&w.primary, &w.others}) {
        for (const Context *context : *list) {
            switch (kind) {
            case FAKE_CUDA_STREAM: collect(context->streams, handles); break;
            case FAKE_CUDA_EVENT: collect(context->events, handles); break;
            case FAKE_CUDA_MODULE: collect(context->modules, handles); break;
            case FAKE_CUDA_GRAPH: collect(context->graphs, handles); break;
            case FAKE_CUDA_GRAPH_EXEC: collect(context->graph_execs, handles); break;
            case FAKE_CUDA_MEMORY: collect(context->memory, handles); break;
            case FAKE_CUDA_HOST_MEMORY: collect(context->host_memory, handles); break;
            case FAKE_CUDA_CONTEXT:
                if (context->active) handles.push_back(reinterpret_cast<uintptr_t>(context));
                break;
            default: break;
            }
        }
    }
    if (kind == FAKE_CUDA_GREEN_CONTEXT)
        for (const auto &entry : w.green_contexts)
            if (!entry.second.orphan) handles.push_back(entry.first);
    if (kind == FAKE_CUDA_SEMAPHORE)
        for (const auto &entry : w.semaphore_of)
            if (!entry.second.orphan) handles.push_back(entry.first);
    if (kind == FAKE_CUDA_POOL)
        for (const auto &entry : w.pool_of) {
            const Pool &pool = entry.second;
            const bool is_default =
                !pool.host && w.default_pools.count(pool.device) != 0 && w.default_pools.at(pool.device) == entry.first;
            // The library lets ended ones keep no memory.
            const bool may_stay = pool.ended || pool.threshold == 0;
            if (is_default || pool.orphan || (may_stay && !has_known_block(entry.first))) continue;
            handles.push_back(entry.first);
        }
    return handles;
}

Object *object_of(int32_t kind, uintptr_t handle) {
    const auto *word = reinterpret_cast<const void *>(handle);
    switch (kind) {
    case FAKE_CUDA_STREAM: return world().streams.find(word);
    case FAKE_CUDA_EVENT: return world().events.find(word);
    case FAKE_CUDA_MODULE: return world().modules.find(word);
    default: return nullptr;
    }
}

void copy_text(const std::string &text, char *out, size_t size) {
    if (out && size > 0) std::snprintf(out, size, "%s", text.c_str());
}

} // namespace

void gs::simulated::configure_for_tests() {
    World &w = world();
    w.records_violations = true;
    w.kernel_time_ns = -1;
    w.device_name = "gpustream fake GPU";
    w.uuid = "gpustream-fake-";
    w.devices = static_cast<int>(number("FAKE_CUDA_DEVICES", 2));
    w.version = static_cast<int>(number("FAKE_CUDA_DRIVER_VERSION", 13000));
    w.init_code = static_cast<int>(number("FAKE_CUDA_INIT", 0));
    w.stub = number("FAKE_CUDA_STUB", 0) != 0;
    w.pools = number("FAKE_CUDA_NO_POOLS", 0) == 0;
    w.wide_values = number("FAKE_CUDA_NARROW_VALUES", 0) == 0;
    w.semaphores = number("FAKE_CUDA_NO_SEMAPHORES", 0) == 0;
    w.queues = static_cast<uint64_t>(number("FAKE_CUDA_QUEUES", 0));
    w.launches_wait = number("FAKE_CUDA_LAUNCHES_WAIT", 0) != 0;
    w.multiprocessors = static_cast<int>(number("FAKE_CUDA_MULTIPROCESSORS", 132));
    w.memory_bytes = static_cast<size_t>(number("FAKE_CUDA_MEMORY", 1 << 30));
    if (const char *capability = std::getenv("FAKE_CUDA_CAPABILITY"))
        std::sscanf(capability, "%d.%d", &w.capability[0], &w.capability[1]);
    if (const char *name = std::getenv("FAKE_CUDA_NAME")) w.device_name = name;
    for (const std::string &name : split(std::getenv("FAKE_CUDA_MISSING"))) w.missing.insert(name);
    register_test_kernels();
    plan_fault(split(std::getenv("FAKE_CUDA_FAIL")));
}

#define CONTROL extern "C" __attribute__((visibility("default")))

CONTROL void fake_cuda_inject(const fake_cuda_fault_t *fault) { set_fault(fault); }
CONTROL void fake_cuda_clear_fault() { set_fault(nullptr); }
CONTROL void fake_cuda_lock(int32_t locked) { lock_calls(locked != 0); }
CONTROL void fake_cuda_pause_faults(int32_t pause) { thread().no_faults = pause != 0; }
CONTROL uint64_t fake_cuda_thread_id() { return thread().id; }
CONTROL uint64_t fake_cuda_calls(const char *function) { return calls_of(function); }
CONTROL void fake_cuda_reset_calls() { reset_calls(); }

CONTROL void fake_cuda_start_trace() { start_trace(); }

CONTROL size_t fake_cuda_trace(char *text, size_t size) {
    const std::string lines = trace();
    copy_text(lines, text, size);
    return lines.size();
}

CONTROL uint64_t fake_cuda_injected(char *function, size_t size) {
    std::string first;
    const uint64_t count = injected(&first);
    copy_text(first, function, size);
    return count;
}

CONTROL void fake_cuda_watch(int32_t device) {
    Lock lock(world().mutex);
    world().watched_device = device;
    world().watched.clear();
}

CONTROL size_t fake_cuda_watched(char *text, size_t size) {
    Lock lock(world().mutex);
    std::string all;
    for (const std::string &line : world().watched) all += line + "\n";
    copy_text(all, text, size);
    return world().watched.size();
}

CONTROL size_t fake_cuda_live(int32_t kind) { return fake_cuda_live_handles(kind, nullptr, 0); }

CONTROL size_t fake_cuda_live_handles(int32_t kind, uintptr_t *out, size_t size) {
    Lock lock(world().mutex);
    if (kind == FAKE_CUDA_USER_OBJECT) return live_user_objects(); // without handles: graphs hold them
    const std::vector<uintptr_t> handles = live(kind);
    for (size_t i = 0; i < handles.size() && i < size; ++i) out[i] = handles[i];
    return handles.size();
}

CONTROL uintptr_t fake_cuda_last(int32_t kind) { return kind >= 0 && kind < FAKE_CUDA_KINDS ? thread().last[kind] : 0; }

CONTROL size_t fake_cuda_violations(char *text, size_t size) {
    Lock lock(world().mutex);
    std::string all;
    for (const std::string &line : world().violations) all += line + "\n";
    copy_text(all, text, size);
    return world().violations.size();
}

CONTROL void fake_cuda_clear_violations() {
    Lock lock(world().mutex);
    world().violations.clear();
}

CONTROL void fake_cuda_act_as(uint64_t owner) { thread().owner = owner; }

CONTROL void fake_cuda_set_owner(int32_t kind, uintptr_t handle, uint64_t owner) {
    Lock lock(world().mutex);
    if (Object *object = object_of(kind, handle)) object->owner = owner;
}

CONTROL void fake_cuda_set_handle_reuse(int32_t reuse) {
    Lock lock(world().mutex);
    world().handle_reuse = reuse != 0;
}

CONTROL void fake_cuda_deinitialise() { world().ended.store(true, std::memory_order_release); }

CONTROL void fake_cuda_reset_device(int32_t device) {
    Lock lock(world().mutex);
    Context &context = *world().primary.at(static_cast<size_t>(device));
    if (context.active) end_life(context);
}

CONTROL void fake_cuda_break_device(int32_t device, int32_t code) {
    Lock lock(world().mutex);
    break_context(*world().primary.at(static_cast<size_t>(device)), code, "a kernel");
}

CONTROL int32_t fake_cuda_share_multiprocessors(uintptr_t one, uintptr_t other) {
    Lock lock(world().mutex);
    const auto &all = world().green_contexts;
    const auto first = all.find(one), second = all.find(other);
    if (first == all.end() || second == all.end()) return -1;
    const Multiprocessors &has = first->second.has, &others = second->second.has;
    return has.device == others.device && std::any_of(has.numbers.begin(), has.numbers.end(), [&](unsigned number) {
               return others.numbers.count(number) != 0;
           });
}

CONTROL int32_t fake_cuda_context_depth() { return thread().depth; }
CONTROL int32_t fake_cuda_capture_mode() { return static_cast<int32_t>(thread().mode); }

CONTROL int32_t fake_cuda_register_kernel(const char *name, const size_t *parameter_bytes, size_t parameters,
                                          void (*run)(const fake_cuda_launch_t *, void **)) {
    Lock lock(world().mutex);
    if (!name || !run) return CUDA_ERROR_INVALID_VALUE;
    register_kernel(name, {parameter_bytes, parameter_bytes + parameters},
                    [run](const LaunchShape &shape, void **arguments) {
                        fake_cuda_launch_t launch{};
                        static_assert(sizeof launch == sizeof shape);
                        std::memcpy(&launch, &shape, sizeof launch);
                        run(&launch, arguments);
                    });
    return CUDA_SUCCESS;
}
