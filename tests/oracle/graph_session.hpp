// SPDX-License-Identifier: Apache-2.0
// Runs one program of graphs on the default backend, through the public
// functions, and compares it with the model.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "gpustream.h"
#include "oracle/graph_model.hpp"

namespace gs::oracle {

// Holds a stream: inside the engine on host, where a single worker runs all
// works, else by a function that blocks.
class GraphGate {
public:
    GraphGate() = default;
    virtual ~GraphGate() = default;
    GraphGate(const GraphGate &) = delete;
    GraphGate &operator=(const GraphGate &) = delete;
    virtual gs_status_t hold(gs_stream_t stream) = 0;
    virtual void open() = 0;
};
// nullptr: GPUSTREAM_ORACLE_GATES=0, for drivers that run all host functions on one thread.
std::unique_ptr<GraphGate> make_graph_gate();

class GraphSession {
public:
    explicit GraphSession(const GraphProgram &program);
    ~GraphSession();
    GraphSession(const GraphSession &) = delete;
    GraphSession &operator=(const GraphSession &) = delete;

    void execute(size_t op);
    // Opens the gate, lets everything run, and judges. Empty, or what went wrong.
    std::string finish();

private:
    struct Work {
        GraphSession *session = nullptr;
        std::atomic<int> runs{0};
        std::array<std::atomic<uint32_t>, kMostRuns> begin{}, end{};
    };
    static void run_work(void *opaque);

    gs_status_t call(const GraphOp &op, size_t index);
    gs_status_t build(const GraphOp &op, gs_graph_t *out);
    gs_status_t build_exec(const GraphOp &op);
    gs_status_t end_capture(const GraphOp &op);
    void check_covered(size_t index);
    std::string judge() const;
    bool ended(size_t instance) const;
    void note(const std::string &what);

    const GraphProgram &program_;
    const GraphExpectation expected_;
    std::vector<Work> works_;
    std::atomic<uint32_t> clock_{0};
    uint32_t opened_ = 0; // when the gate was
    std::unique_ptr<GraphGate> gate_;
    std::array<gs_stream_t, kGraphStreams> streams_{};
    std::array<gs_event_t, kAllEvents> events_{};
    std::array<gs_graph_exec_t, kMostExecs> execs_{};
    std::string trouble_;
};

} // namespace gs::oracle
