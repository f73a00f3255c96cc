// SPDX-License-Identifier: Apache-2.0
// What a program runs on: how its works leave traces, how its gates hold a stream, and how to let everything run that
// can. The host engine and a GPU differ in these, not in the programs nor in the judgement.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpustream.h"
#include "oracle/program.hpp"

namespace gs::oracle {

// The works and gates of one program in execution.
class Ground {
public:
    Ground() = default;
    virtual ~Ground() = default;
    Ground(const Ground &) = delete;
    Ground &operator=(const Ground &) = delete;

    virtual gs_status_t work(gs_stream_t stream, int number) = 0;
    virtual gs_status_t hold(gs_stream_t stream, int device, int gate) = 0;
    virtual void open(int gate) = 0;
    virtual uint64_t ran() const = 0; // the works that have run
    // By work: the works that had run when it did. Valid once all have run.
    virtual std::vector<uint64_t> seen() const = 0;
    virtual std::string trouble() const = 0; // such as a work that ran twice; empty: none
};

// What runs the works, as a tool.
class Engine {
public:
    Engine() = default;
    virtual ~Engine() = default;
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    // Holds what is submitted until release(). An engine that cannot hold leaves the work alone: its queries differ
    // from one run to the next.
    virtual void hold() = 0;
    virtual void release() = 0;
    // Everything runs that can; waits: the most that any chain of works can pass through.
    virtual void settle(int waits) = 0;
    virtual bool broken() const = 0; // its own calls failed
};

class Site {
public:
    Site() = default;
    virtual ~Site() = default;
    Site(const Site &) = delete;
    Site &operator=(const Site &) = delete;

    virtual Engine &engine() = 0;
    virtual std::unique_ptr<Ground> ground(const Program &program) = 0;
    virtual uint64_t batch() const = 0; // programs that may be in execution at once
    virtual bool has_two_devices() const = 0;
    virtual bool has_queues() const { return true; }
};

} // namespace gs::oracle
