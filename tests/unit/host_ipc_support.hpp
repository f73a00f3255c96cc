// SPDX-License-Identifier: Apache-2.0
// Two processes with an engine each, and the directory they share.
#pragma once

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "backend/host/ipc/ipc_layout.hpp"
#include "unit/host_ipc_peer.hpp"
#include "unit/host_support.hpp"

namespace gs::host {

// A directory used instead of /dev/shm.
class Directory {
public:
    Directory() {
        std::string pattern = ::testing::TempDir() + "gpustream-ipc-XXXXXX";
        path_ = mkdtemp(pattern.data());
    }
    ~Directory() {
        for (const std::string &name : names()) unlink((path_ + "/" + name).c_str());
        rmdir(path_.c_str());
    }
    Directory(const Directory &) = delete;
    Directory &operator=(const Directory &) = delete;
    const std::string &path() const { return path_; }
    std::vector<std::string> names() const { return names_in(path_); }
    // Until there are so many files: others are removed in the background.
    void await(size_t files) const {
        while (names().size() != files) sched_yield();
    }
    static std::vector<std::string> names_in(const std::string &path) {
        std::vector<std::string> result;
        DIR *entries = opendir(path.c_str());
        while (const dirent *entry = readdir(entries))
            if (entry->d_name[0] != '.') result.push_back(entry->d_name);
        closedir(entries);
        return result;
    }

private:
    std::string path_;
};

class HostIpc : public ::testing::Test {
protected:
    HostIpc() : peer_(directory_.path()), other_peer_(directory_.path()) {
        EngineOptions options;
        options.workers = 1;
        options.shm_directory = directory_.path().c_str();
        engine_ = Engine::create(options);
        EXPECT_EQ(engine_->stream_create(device(), 0, false, &stream_), Result::Ok);
        EXPECT_EQ(engine_->event_create(device(), {false, false, true}, &event_), Result::Ok);
        gate_ = engine_->gate_create(device());
    }
    ~HostIpc() override { gate_->release(); }
    Device &device() { return engine_->device(0); }
    IpcHandle exported() {
        IpcHandle handle;
        EXPECT_EQ(engine_->ipc_export(*event_, &handle), Result::Ok);
        return handle;
    }
    void open_in_peer() { ASSERT_EQ(peer_.tell("open " + to_hex(exported())), Result::Ok); }
    Stream &new_stream() {
        Stream *stream = nullptr;
        EXPECT_EQ(engine_->stream_create(device(), 0, false, &stream), Result::Ok);
        return *stream;
    }
    // The stream waits for the gate, with a record of the event behind it.
    void record_held(Stream &stream) {
        EXPECT_EQ(engine_->stream_wait_gate(stream, *gate_), Result::Ok);
        EXPECT_EQ(engine_->event_record(*event_, stream, false), Result::Ok);
    }
    Result open_here(const IpcHandle &handle, Event **out) { return engine_->ipc_open(device(), handle, out); }

    Directory directory_;
    IpcPeer peer_, other_peer_;
    Engine *engine_;
    Stream *stream_ = nullptr;
    Event *event_ = nullptr;
    Record *gate_;
};

} // namespace gs::host
