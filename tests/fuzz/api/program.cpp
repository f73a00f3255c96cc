// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/program.hpp"

#include <algorithm>

#include "backend/registry.hpp"
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/driver_faults.hpp"
#include "fuzz/api/ground.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {

Program::Program(Bytes bytes, Model &objects) : input(bytes), model(objects) {}
Program::~Program() = default;

bool Program::had_scope(uint64_t scope) const {
    const auto &all = all_scopes[thread];
    return std::find(all.begin(), all.end(), scope) != all.end();
}

void Program::step() {
    const Call &call = call_of(input.half());
    thread = static_cast<int>(input.below(kThreads));
    auto &worker = threads_[thread];
    if (!worker) worker = std::make_unique<test::LogicalThread>();
    worker->run([&] { make(call); });
}

void Program::make(const Call &call) {
    Arguments arguments(*this, call);
    call.make(arguments);
}

void Program::run() {
    for (int i = 0; i < kMostSteps && !input.empty(); ++i) step();
    refused += end_faults();
    end_bridges();
    for (int i = 0; i < kThreads; ++i)
        if (threads_[i]) threads_[i]->run([&] { end_thread(i); });
    for (auto &worker : threads_) worker.reset();
    model.threads_ended();
    clean_up();
}

void Program::end_bridges() {
    FUZZ_REQUIRE(gs_bridge_follow(0) == GS_OK, "gs_bridge_follow");
    for (const int32_t bridge : bridges) FUZZ_REQUIRE(gs_bridge_unregister(bridge) == GS_OK, "gs_bridge_unregister");
}

void Program::end_thread(int number) {
    int32_t forbidden = 0;
    FUZZ_REQUIRE(gs_forbid_sync(0, &forbidden) == GS_OK, "gs_forbid_sync");
    for (size_t open = scopes[number].size(); open > 0; --open)
        FUZZ_REQUIRE(gs_pop_current_stream(0) == GS_OK, std::to_string(open) + " scopes are open");
    FUZZ_REQUIRE(gs_pop_current_stream(0) == GS_ERROR_SCOPE, "more scopes are open than were opened");
}

// Everything is released, and no more than that.
void Program::clean_up() {
    FUZZ_REQUIRE(gs_set_option(GS_OPTION_SYNC_DEBUG_MODE, GS_SYNC_DEBUG_DEFAULT) == GS_OK, "");
    FUZZ_REQUIRE(gs_set_option(GS_OPTION_SYNC_DEBUG_SCOPE, GS_SYNC_SCOPE_TORCH) == GS_OK, "");
    FUZZ_REQUIRE(gs_set_option(GS_OPTION_UNRECORDED_MODE, GS_UNRECORDED_IGNORE) == GS_OK, "");
    FUZZ_REQUIRE(gs_set_option(GS_OPTION_WAIT_MODE, GS_WAIT_DRIVER) == GS_OK, "");
    FUZZ_REQUIRE(gs_check_stop() == GS_OK, "");
    FUZZ_REQUIRE(running_trace == 0 || gs_trace_end(running_trace) == GS_OK, "");
    FUZZ_REQUIRE(gs_set_trace_callback(nullptr, nullptr) == GS_OK, "");
    synchronize_all_devices();
    order.finish();
    for (const Memory &one : memory) {
        gs_stream_t stream = nullptr;
        if (one.stream.first == 0) {
            FUZZ_REQUIRE(gs_free_host(one.pointer) == GS_OK, "gs_free_host");
        } else {
            FUZZ_REQUIRE(gs_default_stream(one.device, &stream) == GS_OK, std::to_string(one.device));
            FUZZ_REQUIRE(gs_free_async(one.pointer, stream) == GS_OK, "gs_free_async");
        }
    }
    for (const Object &object : model.objects()) {
        if (object.kind == "kernel") continue;
        for (int i = 0; i < object.references; ++i)
            FUZZ_REQUIRE(destroy(object) == GS_OK, object.kind + " with references left: " + std::to_string(i));
        if (object.held) continue;
        const gs_status_t wanted = object.immortal ? GS_OK : GS_ERROR_INVALID_HANDLE;
        FUZZ_REQUIRE(destroy(object) == wanted, object.kind + " after its last reference");
    }
    synchronize_all_devices();
    destroy_given();
    FUZZ_REQUIRE(gs_trim() == GS_OK, "gs_trim");
    FUZZ_REQUIRE(released.load() == releases_due,
                 std::to_string(released.load()) + " of " + std::to_string(releases_due) + " release functions ran");
}

// As their owner, past the library.
void Program::destroy_given() {
    for (const Given &one : given) {
        gs_backend_t kind = gs_device_backend(one.device);
        if (kind == GS_BACKEND_DEFAULT) FUZZ_REQUIRE(gs_default_backend(&kind) == GS_OK, "gs_default_backend");
        Backend &backend = *backend_instance(kind);
        const int32_t ordinal = gs_device_ordinal(one.device);
        const Status status =
            one.event ? backend.event_destroy(ordinal, one.native) : backend.stream_destroy({ordinal, one.native});
        FUZZ_REQUIRE(status.ok(), one.event ? "a given event" : "a given stream");
    }
}

gs_status_t Program::destroy(const Object &object) {
    if (object.kind == "stream") return gs_stream_destroy(reinterpret_cast<gs_stream_t>(object.handle));       // NOLINT
    if (object.kind == "event") return gs_event_destroy(reinterpret_cast<gs_event_t>(object.handle));          // NOLINT
    if (object.kind == "queue") return gs_queue_destroy(reinterpret_cast<gs_queue_t>(object.handle));          // NOLINT
    if (object.kind == "timeline") return gs_timeline_destroy(reinterpret_cast<gs_timeline_t>(object.handle)); // NOLINT
    if (object.kind == "pool") return gs_pool_destroy(reinterpret_cast<gs_pool_t>(object.handle));             // NOLINT
    if (object.kind == "partition")
        return gs_partition_destroy(reinterpret_cast<gs_partition_t>(object.handle));                 // NOLINT
    if (object.kind == "graph") return gs_graph_destroy(reinterpret_cast<gs_graph_t>(object.handle)); // NOLINT
    if (object.kind == "executable")
        return gs_graph_exec_destroy(reinterpret_cast<gs_graph_exec_t>(object.handle)); // NOLINT
    return gs_module_destroy(reinterpret_cast<gs_module_t>(object.handle));             // NOLINT
}

} // namespace gs::fuzz
