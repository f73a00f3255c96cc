// SPDX-License-Identifier: Apache-2.0
// A process that executes commands on an interprocess event, line by line, and replies to each line.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <vector>

#include "commands.hpp"
#include "gpustream.h"
#include "ipc.hpp"

namespace gs::test {
namespace {

struct State {
    gs_event_t event = nullptr;
    gs_stream_t stream = nullptr;
    std::deque<Hold> holds;
    size_t released = 0;
    std::vector<gs_stream_t> lost;
    std::atomic<int> mark{0};
};
State &state() {
    static State *const immortal = new State;
    return *immortal;
}

std::string name(gs_status_t status) { return gs_status_name(status); }

std::string ask(gs_status_t status, int32_t value) { return name(status) + " " + std::to_string(value); }

std::string export_event(const std::string &) {
    gs_ipc_handle_t handle{};
    const gs_status_t status = gs_event_ipc_export(state().event, &handle);
    return name(status) + " " + to_hex(handle);
}

std::string open_event(const std::string &hex) {
    const gs_ipc_handle_t handle = from_hex(hex);
    return name(gs_event_ipc_open(0, &handle, &state().event));
}

std::string hold(const std::string &) {
    state().holds.emplace_back();
    return name(gs_stream_launch_host(state().stream, Hold::wait, &state().holds.back()));
}

std::string release(const std::string &) {
    state().holds[state().released++].release(); // in the order in which they were made
    return "GS_OK";
}

// Sets the number that "marked" returns, when the stream reaches it.
std::string mark(const std::string &) {
    return name(gs_stream_launch_host(state().stream, [](void *) { ++state().mark; }, nullptr));
}

std::string query(const std::string &) {
    int32_t done = -1;
    const gs_status_t status = gs_event_query(state().event, &done);
    return ask(status, done);
}

std::string records(const std::string &count) {
    gs_status_t status = GS_OK;
    for (int i = std::stoi(count); i > 0 && status == GS_OK; --i)
        status = gs_event_record(state().event, state().stream);
    return name(status);
}

// Until the process is killed.
std::string churn_events(const std::string &) {
    gs_stream_t streams[4];
    const auto no_work = [](void *) {};
    for (gs_stream_t &stream : streams)
        if (gs_stream_create(0, 0, 0, &stream) != GS_OK) return "failed";
    for (unsigned i = 0;; ++i) {
        gs_stream_t stream = streams[i % 4];
        const bool ok = gs_stream_launch_host(stream, no_work, nullptr) == GS_OK &&
                        gs_event_record(state().event, stream) == GS_OK &&
                        (i % 16 != 0 || gs_stream_synchronize(stream) == GS_OK);
        if (!ok) return "failed";
    }
}

// Of the stream.
std::string pending(const std::string &) {
    int32_t done = -1;
    const gs_status_t status = gs_stream_query(state().stream, &done);
    return ask(status, done);
}

// Streams that wait for the event, and end when it is lost.
std::string lose_streams(const std::string &count) {
    for (int i = std::stoi(count); i > 0; --i) {
        gs_stream_t stream = nullptr;
        if (gs_stream_create(0, 0, 0, &stream) != GS_OK || gs_stream_wait_event(stream, state().event) != GS_OK)
            return "failed";
        state().lost.push_back(stream);
    }
    return "GS_OK";
}

std::atomic<int> g_deferred{0};

std::string defer_lost(const std::string &) {
    for (gs_stream_t stream : state().lost)
        if (gs_stream_defer(stream, [](void *) { ++g_deferred; }, nullptr) != GS_OK) return "failed";
    return "GS_OK";
}

// How many of so many deferred functions have run, after so many trims that there is no hope for the others.
std::string deferred(const std::string &count) {
    for (int i = 0; i < 2000 && g_deferred < std::stoi(count); ++i) {
        if (gs_trim() != GS_OK) return "failed";
        usleep(1000);
    }
    return std::to_string(g_deferred);
}

std::string destroy_lost(const std::string &) {
    for (gs_stream_t stream : state().lost)
        if (gs_stream_synchronize(stream) != GS_ERROR_PEER_LOST || gs_stream_destroy(stream) != GS_OK) return "failed";
    state().lost.clear();
    return "GS_OK";
}

// How many streams of the backend were made for so many that are used one after the other.
std::string misses(const std::string &count) {
    gs_stats_t before{}, after{};
    before.struct_size = after.struct_size = sizeof before;
    bool ok = gs_get_stats(&before) == GS_OK;
    for (int i = std::stoi(count); ok && i > 0; --i) {
        gs_stream_t stream = nullptr;
        ok = gs_stream_create(0, 0, 0, &stream) == GS_OK &&
             gs_stream_launch_host(
                 stream, [](void *) {}, nullptr) == GS_OK &&
             gs_stream_synchronize(stream) == GS_OK && gs_stream_destroy(stream) == GS_OK;
    }
    ok = ok && gs_get_stats(&after) == GS_OK;
    return ok ? std::to_string(after.stream_pool_misses - before.stream_pool_misses) : "failed";
}

const std::map<std::string, Command> kCommands = {
    {"create", [](const std::string &) { return name(gs_event_create(GS_EVENT_INTERPROCESS, &state().event)); }},
    {"plain", [](const std::string &) { return name(gs_event_create(0, &state().event)); }},
    {"stream", [](const std::string &) { return name(gs_stream_create(0, 0, 0, &state().stream)); }},
    {"export", export_event},
    {"open", open_event},
    {"hold", hold},
    {"release", release},
    {"record", [](const std::string &) { return name(gs_event_record(state().event, state().stream)); }},
    {"churn", churn_events},
    {"lose", lose_streams},
    {"defer-lost", defer_lost},
    {"destroy-lost", destroy_lost},
    {"deferred", deferred},
    {"misses", misses},
    {"records", records},
    {"pending", pending},
    {"wait", [](const std::string &) { return name(gs_stream_wait_event(state().stream, state().event)); }},
    {"query", query},
    {"synchronize", [](const std::string &) { return name(gs_event_synchronize(state().event)); }},
    {"finish", [](const std::string &) { return name(gs_stream_synchronize(state().stream)); }},
    {"mark", mark},
    {"marked", [](const std::string &) { return std::to_string(state().mark); }},
    {"destroy", [](const std::string &) { return name(gs_event_destroy(state().event)); }},
    {"fork",
     [](const std::string &) {
         // The child ends normally, and must not affect its parent's event.
         return run_forked([]() -> int { return gs_event_destroy(state().event) == GS_OK ? 0 : 1; }).clean()
                    ? std::string("GS_OK")
                    : std::string("failed");
     }},
};

} // namespace

GS_CHILD(ipc) { return serve_commands(kCommands); }

} // namespace gs::test
