// SPDX-License-Identifier: Apache-2.0
// A process that executes commands on a timeline which it shares with others, line by line, and replies to each line.
#include <sched.h>

#include "stream_commands.hpp"
#include "stream_peer.hpp"

namespace gs::test {
namespace {

gs_timeline_t g_timeline = nullptr;

uint64_t number_of(const std::string &text) { return std::stoull(text); }

std::string make_shared(const std::string &initial) {
    return text_of(
        gs_timeline_create(0, initial.empty() ? 0 : number_of(initial), GS_TIMELINE_INTERPROCESS, &g_timeline));
}

std::string make_plain(const std::string &) { return text_of(gs_timeline_create(0, 0, 0, &g_timeline)); }

std::string export_it(const std::string &) {
    gs_ipc_handle_t handle{};
    const gs_status_t status = gs_timeline_ipc_export(g_timeline, &handle);
    return status == GS_OK ? "GS_OK " + hex_of(handle) : text_of(status);
}

std::string open_it(const std::string &hex) {
    const auto handle = from_hex<gs_ipc_handle_t>(hex);
    return text_of(gs_timeline_ipc_open(0, &handle, &g_timeline));
}

// Again: the same timeline, with another reference, which is given back.
std::string open_twice(const std::string &hex) {
    const auto handle = from_hex<gs_ipc_handle_t>(hex);
    gs_timeline_t again = nullptr;
    if (const gs_status_t status = gs_timeline_ipc_open(1, &handle, &again); status != GS_OK) return text_of(status);
    if (again != g_timeline) return "another one";
    return text_of(gs_timeline_destroy(again));
}

std::string export_an_event(const std::string &) {
    gs_event_t event = nullptr;
    gs_ipc_handle_t handle{};
    if (gs_event_create(GS_EVENT_INTERPROCESS, &event) != GS_OK) return "create";
    const gs_status_t status = gs_event_ipc_export(event, &handle);
    (void)gs_event_destroy(event);
    return status == GS_OK ? "GS_OK " + hex_of(handle) : text_of(status);
}

std::string open_as_event(const std::string &hex) {
    const auto handle = from_hex<gs_ipc_handle_t>(hex);
    gs_event_t event = nullptr;
    return text_of(gs_event_ipc_open(0, &handle, &event));
}

std::string value_now(const std::string &) {
    uint64_t value = 0;
    const gs_status_t status = gs_timeline_value(g_timeline, &value);
    return text_of(status) + " " + std::to_string(value);
}

std::string synchronize(const std::string &value) {
    return text_of(gs_timeline_synchronize(g_timeline, number_of(value), -1));
}

// In 10 ms, which no test takes for certain.
std::string try_synchronize(const std::string &value) {
    return text_of(gs_timeline_synchronize(g_timeline, number_of(value), 10000000));
}

// Until calls fail: the status.
std::string settle_timeline(const std::string &) {
    uint64_t value = 0;
    gs_status_t status = GS_OK;
    while ((status = gs_timeline_value(g_timeline, &value)) == GS_OK) sched_yield();
    return text_of(status);
}

// Alternately with another process, which begins with the other parity: waits for a value, marks, and signals the next.
std::string play(const std::string &arguments) {
    const size_t space = arguments.find(' ');
    const uint64_t first = number_of(arguments.substr(0, space)), rounds = number_of(arguments.substr(space + 1));
    for (uint64_t value = first; value < first + 2 * rounds; value += 2) {
        if (const gs_status_t status = gs_stream_wait_timeline(mine().stream, g_timeline, value); status != GS_OK)
            return "wait: " + text_of(status);
        if (mark_stream("") != "GS_OK") return "mark";
        gs_status_t status = GS_OK; // the others have not happened when there is no room for another one
        while ((status = gs_stream_signal_timeline(mine().stream, g_timeline, value + 1)) == GS_ERROR_FULL)
            sched_yield();
        if (status != GS_OK) return "signal: " + text_of(status);
    }
    return "GS_OK";
}

// Until the process is killed, or a call fails that must not: what a process can do with a timeline, over and over.
std::string churn_timeline(const std::string &) {
    for (;;) {
        uint64_t value = 0;
        if (const gs_status_t status = gs_timeline_value(g_timeline, &value); status != GS_OK) return text_of(status);
        (void)gs_stream_wait_timeline(mine().stream, g_timeline, value + 1);
        (void)gs_stream_signal_timeline(mine().stream, g_timeline, value + 2);
        (void)gs_timeline_signal(g_timeline, value + 1);
        (void)gs_timeline_synchronize(g_timeline, value + 2, 100000);
    }
}

// What reads and writes the words that processes share, for a while.
std::string churn_reads(const std::string &) {
    for (int i = 0; i < 2000; ++i) {
        uint64_t value = 0;
        if (const gs_status_t status = gs_timeline_value(g_timeline, &value); status != GS_OK) return text_of(status);
        // Both refused, after a look at what the others have submitted.
        if (const gs_status_t status = gs_timeline_signal(g_timeline, value); status != GS_ERROR_INVALID_ARGUMENT)
            return text_of(status);
        if (value == 0) continue;
        if (const gs_status_t status = gs_stream_signal_timeline(mine().stream, g_timeline, value);
            status != GS_ERROR_INVALID_ARGUMENT)
            return text_of(status);
    }
    return "GS_OK";
}

// Until the process is killed: opens and gives up.
std::string churn_opens(const std::string &hex) {
    const auto handle = from_hex<gs_ipc_handle_t>(hex);
    for (;;) {
        gs_timeline_t opened = nullptr;
        if (const gs_status_t status = gs_timeline_ipc_open(0, &handle, &opened); status != GS_OK)
            return text_of(status);
        if (const gs_status_t status = gs_timeline_destroy(opened); status != GS_OK) return text_of(status);
    }
}

std::string make_and_end(const std::string &count) {
    for (uint64_t left = number_of(count); left > 0; --left) {
        gs_timeline_t timeline = nullptr;
        if (const gs_status_t status = gs_timeline_create(0, 0, GS_TIMELINE_INTERPROCESS, &timeline); status != GS_OK)
            return text_of(status);
        if (const gs_status_t status = gs_timeline_destroy(timeline); status != GS_OK) return text_of(status);
    }
    return "GS_OK";
}

std::string timeline_in_a_fork(const std::string &hex) {
    const auto handle = from_hex<gs_ipc_handle_t>(hex);
    return run_forked([&]() -> int {
               gs_ipc_handle_t made{};
               gs_timeline_t opened = nullptr;
               if (gs_timeline_ipc_export(g_timeline, &made) != GS_ERROR_BAD_FORK) return 1;
               if (gs_timeline_ipc_open(0, &handle, &opened) != GS_ERROR_BAD_FORK) return 2;
               if (gs_timeline_signal(g_timeline, 1000) != GS_ERROR_BAD_FORK) return 3;
               return gs_timeline_destroy(g_timeline) == GS_OK ? 0 : 4;
           }).clean()
               ? "GS_OK"
               : "failed";
}

// Changes bytes of the handle, bits in turn first, then at random: none may be opened. How many were.
std::string mutate_timeline(const std::string &arguments) {
    const size_t space = arguments.find(' ');
    const auto handle = from_hex<gs_ipc_handle_t>(arguments.substr(0, space));
    const uint64_t rounds = number_of(arguments.substr(space + 1));
    uint64_t opened = 0, state = 0x9e3779b97f4a7c15u;
    const auto next = [&state] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    for (uint64_t i = 0; i < rounds; ++i) {
        gs_ipc_handle_t changed = handle;
        if (i < 8 * sizeof handle.data) {
            changed.data[i / 8] = static_cast<unsigned char>(changed.data[i / 8] ^ (1u << i % 8));
        } else {
            for (uint64_t left = next() % 4 + 1; left > 0; --left) {
                const uint64_t place = next();
                unsigned char &byte = changed.data[place % sizeof handle.data];
                byte = static_cast<unsigned char>(byte ^ (1 + (place >> 32) % 255));
            }
            if (std::equal(std::begin(changed.data), std::end(changed.data), std::begin(handle.data))) continue;
        }
        gs_timeline_t found = nullptr;
        if (gs_timeline_ipc_open(0, &changed, &found) != GS_ERROR_INVALID_ARGUMENT || found) ++opened;
    }
    return "opened " + std::to_string(opened);
}

const std::map<std::string, Command> kTimelineCommands = with_stream_commands({
    {"make", make_shared},
    {"make_plain", make_plain},
    {"export", export_it},
    {"open", open_it},
    {"open_twice", open_twice},
    {"event", export_an_event},
    {"open_as_event", open_as_event},
    {"value", value_now},
    {"sync", synchronize},
    {"try", try_synchronize},
    {"settle", settle_timeline},
    {"play", play},
    {"churn", churn_timeline},
    {"churn_opens", churn_opens},
    {"churn_reads", churn_reads},
    {"make_and_end", make_and_end},
    {"fork", timeline_in_a_fork},
    {"mutate", mutate_timeline},
    {"wait",
     [](const std::string &v) { return text_of(gs_stream_wait_timeline(mine().stream, g_timeline, number_of(v))); }},
    {"signal",
     [](const std::string &v) { return text_of(gs_stream_signal_timeline(mine().stream, g_timeline, number_of(v))); }},
    {"set", [](const std::string &v) { return text_of(gs_timeline_signal(g_timeline, number_of(v))); }},
    {"abort", [](const std::string &v) { return text_of(gs_timeline_abort(g_timeline, std::stoi(v))); }},
    {"close", [](const std::string &) { return text_of(gs_timeline_destroy(g_timeline)); }},
});

} // namespace

GS_CHILD(timeline) { return serve_commands(kTimelineCommands); }

} // namespace gs::test
