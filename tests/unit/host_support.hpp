// SPDX-License-Identifier: Apache-2.0
// Support for tests of the host engine: an engine per test, and gates that hold streams without a clock.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "backend/host/engine/engine.hpp"

namespace gs::host {

inline void PrintTo(Result result, std::ostream *out) { *out << "Result(" << static_cast<int>(result) << ")"; }

// The work that ran, in order.
class Trace {
public:
    void add(int what) {
        std::lock_guard<std::mutex> lock(mutex_);
        entries_.push_back(what);
    }
    std::vector<int> entries() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return entries_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<int> entries_;
};

class HostEngineTest : public ::testing::Test {
protected:
    explicit HostEngineTest(int32_t workers = 2) {
        EngineOptions options;
        options.devices = 2;
        options.workers = workers;
        engine_ = Engine::create(options);
    }

    Device &device(int32_t ordinal = 0) { return engine_->device(ordinal); }
    Stream &stream(int32_t priority = 0, bool blocking = false, int32_t ordinal = 0) {
        Stream *made = nullptr;
        EXPECT_EQ(engine_->stream_create(device(ordinal), priority, blocking, &made), Result::Ok);
        return *made;
    }
    Event &event(EventOptions options = {}, int32_t ordinal = 0) {
        Event *made = nullptr;
        EXPECT_EQ(engine_->event_create(device(ordinal), options, &made), Result::Ok);
        return *made;
    }
    // Work that writes a number into the trace.
    void mark(Stream &on, int what) {
        struct Mark {
            Trace *trace;
            int what;
        };
        auto run = [](void *arg) { static_cast<Mark *>(arg)->trace->add(static_cast<Mark *>(arg)->what); };
        auto drop = [](void *arg) { delete static_cast<Mark *>(arg); };
        EXPECT_EQ(engine_->launch(on, Task{run, drop, new Mark{&trace_, what}}), Result::Ok);
    }

    // Holds streams until opened, at the latest at the end of the test.
    class Gate {
    public:
        explicit Gate(Engine &engine, int32_t ordinal = 0)
            : engine_(engine), record_(engine.gate_create(engine.device(ordinal))) {}
        ~Gate() {
            open();
            record_->release();
        }
        Gate(const Gate &) = delete;
        Gate &operator=(const Gate &) = delete;
        void hold(Stream &stream) { EXPECT_EQ(engine_.stream_wait_gate(stream, *record_), Result::Ok); }
        void open() {
            if (!opened_) engine_.gate_open(*record_);
            opened_ = true;
        }

    private:
        Engine &engine_;
        Record *record_;
        bool opened_ = false;
    };

    Engine *engine_;
    Trace trace_;
};

} // namespace gs::host
