// SPDX-License-Identifier: Apache-2.0
// Another process with an engine of its own, which executes commands: one line per command, one number per reply.
#pragma once

#include <gtest/gtest.h>

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "backend/host/engine/engine.hpp"
#include "support/child_process.hpp"

namespace gs::host {

inline std::string to_hex(const IpcHandle &handle) {
    unsigned char bytes[sizeof handle];
    std::memcpy(bytes, &handle, sizeof bytes);
    std::string text;
    char pair[3];
    for (const unsigned char byte : bytes) {
        std::snprintf(pair, sizeof pair, "%02x", byte);
        text += pair;
    }
    return text;
}

inline IpcHandle from_hex(const std::string &text) {
    unsigned char bytes[sizeof(IpcHandle)] = {};
    for (size_t i = 0; i < sizeof bytes && 2 * i + 1 < text.size(); ++i)
        bytes[i] = static_cast<unsigned char>(std::strtoul(text.substr(2 * i, 2).c_str(), nullptr, 16));
    IpcHandle handle;
    std::memcpy(static_cast<void *>(&handle), bytes, sizeof bytes);
    return handle;
}

class IpcPeerMain {
public:
    explicit IpcPeerMain(const std::string &directory) {
        EngineOptions options;
        options.workers = 1;
        options.shm_directory = directory.c_str();
        engine_ = Engine::create(options);
        if (engine_->stream_create(device(), 0, false, &stream_) != Result::Ok) std::abort();
        gate_ = engine_->gate_create(device());
    }

    int serve() {
        std::string line;
        while (std::getline(std::cin, line)) {
            std::istringstream words(line);
            std::string order, argument;
            words >> order >> argument;
            if (order == "quit") return 0;
            std::cout << answer(order, argument) << std::endl;
        }
        return 1;
    }

private:
    Device &device() { return engine_->device(0); }
    static std::string text(Result result) { return std::to_string(static_cast<int>(result)); }

    std::string answer(const std::string &order, const std::string &argument) {
        if (order == "open") return text(engine_->ipc_open(device(), from_hex(argument), &event_));
        if (order == "export") {
            IpcHandle handle;
            if (engine_->event_create(device(), {false, false, true}, &event_) != Result::Ok) return "";
            return engine_->ipc_export(*event_, &handle) == Result::Ok ? to_hex(handle) : "";
        }
        if (order == "hold") return text(engine_->stream_wait_gate(*stream_, *gate_));
        if (order == "release") {
            engine_->gate_open(*gate_);
            return text(engine_->stream_synchronize(*stream_));
        }
        if (order == "record") return text(engine_->event_record(*event_, *stream_, false));
        if (order == "wait") return text(engine_->stream_wait(*stream_, *event_, false));
        if (order == "query") return text(engine_->event_query(*event_));
        if (order == "stream") return text(engine_->stream_query(*stream_));
        if (order == "synchronize") return text(engine_->event_synchronize(*event_));
        if (order == "mapped") return std::to_string(engine_->ipc_mapped());
        if (order == "destroy") {
            engine_->event_destroy(*event_);
            return text(Result::Ok);
        }
        return "unknown order";
    }

    Engine *engine_;
    Stream *stream_ = nullptr;
    Event *event_ = nullptr;
    Record *gate_;
};

class IpcPeer {
public:
    // Start it before this process has an engine: a child of a process with threads may be in any state.
    explicit IpcPeer(const std::string &directory)
        : child_(test::Child::fork_only([directory] { return IpcPeerMain(directory).serve(); })) {}

    std::string ask(const std::string &order) {
        std::string line;
        EXPECT_TRUE(child_.send(order));
        EXPECT_TRUE(child_.read_line(&line)) << order;
        return line;
    }
    Result tell(const std::string &order) {
        const std::string line = ask(order);
        return line.empty() ? Result::InvalidValue : static_cast<Result>(std::atoi(line.c_str()));
    }
    void send(const std::string &order) { EXPECT_TRUE(child_.send(order)); }
    Result later() {
        std::string line;
        EXPECT_TRUE(child_.read_line(&line));
        return static_cast<Result>(std::atoi(line.c_str()));
    }
    void quit() {
        EXPECT_TRUE(child_.send("quit"));
        const test::Outcome outcome = child_.wait();
        EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
    }
    void crash() {
        child_.kill(SIGKILL);
        child_.wait();
    }

private:
    test::Child child_;
};

} // namespace gs::host
