// SPDX-License-Identifier: Apache-2.0
// Commands of a child process that has streams: work that is held up, and what has run.
#pragma once

#include <atomic>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "commands.hpp"
#include "gpustream.h"

namespace gs::test {

struct StreamState {
    std::vector<gs_stream_t> streams;
    gs_stream_t stream = nullptr;
    std::deque<Hold> holds;
    size_t released = 0;
    std::atomic<int> mark{0};
};
inline StreamState &mine() {
    static StreamState *const immortal = new StreamState;
    return *immortal;
}

inline std::string text_of(gs_status_t status) { return gs_status_name(status); }

inline std::string last_reason(const std::string &) {
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    return gs_last_error(&error) == GS_OK ? error.message : "none";
}

inline std::string make_stream_on(const std::string &device) {
    const gs_status_t status = gs_stream_create(device.empty() ? 0 : std::stoi(device), 0, 0, &mine().stream);
    if (status == GS_OK) mine().streams.push_back(mine().stream);
    return text_of(status);
}

inline std::string hold_stream(const std::string &) {
    mine().holds.emplace_back();
    return text_of(gs_stream_launch_host(mine().stream, Hold::wait, &mine().holds.back()));
}

inline std::string release_next(const std::string &) {
    mine().holds[mine().released++].release(); // in the order in which they were made
    return "GS_OK";
}

// Sets the number that "marked" returns, when the stream reaches it.
inline std::string mark_stream(const std::string &) {
    return text_of(gs_stream_launch_host(mine().stream, [](void *) { ++mine().mark; }, nullptr));
}

inline std::string stream_pending(const std::string &) {
    int32_t done = -1;
    const gs_status_t status = gs_stream_query(mine().stream, &done);
    return text_of(status) + " " + std::to_string(done);
}

// Mappings of files in the folder.
inline std::string mappings(const std::string &folder) {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);) count += line.find(folder) != std::string::npos;
    return std::to_string(count);
}

// With those of the test's own.
inline std::map<std::string, Command> with_stream_commands(std::map<std::string, Command> own) {
    own.insert({{"stream", make_stream_on},
                {"hold", hold_stream},
                {"release", release_next},
                {"mark", mark_stream},
                {"marked", [](const std::string &) { return std::to_string(mine().mark); }},
                {"pending", stream_pending},
                {"finish", [](const std::string &) { return text_of(gs_stream_synchronize(mine().stream)); }},
                {"reason", last_reason},
                {"trim", [](const std::string &) { return text_of(gs_trim()); }},
                {"mappings", mappings}});
    return own;
}

} // namespace gs::test
