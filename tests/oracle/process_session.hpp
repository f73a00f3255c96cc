// SPDX-License-Identifier: Apache-2.0
// One process's part of a program in execution.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "oracle/handles.hpp"
#include "oracle/shared_run.hpp"
#include "support/host_hooks.hpp"

namespace gs::oracle {

class ProcessSession {
public:
    ProcessSession(const Program &program, SharedRun &run, SharedProgram &shared, int process, Between between);
    ~ProcessSession();
    ProcessSession(const ProcessSession &) = delete;
    ProcessSession &operator=(const ProcessSession &) = delete;

    void open_events(); // after all processes have made theirs
    const Program &program() const { return program_; }
    bool mine(size_t op) const { return program_.ops[op].thread == process_; }
    void execute(size_t op);
    void open_gate(int gate);
    bool all_ran() const; // of all processes

private:
    struct Work {
        SharedRun *run;
        SharedProgram *shared;
        int number;
    };
    static void run_work(void *work);
    gs_status_t call(const Op &op, bool *out_done);
    gs_status_t hold(const Op &op);
    void check(gs_status_t status, const std::string &what);
    uint64_t ran() const;

    const Program &program_;
    SharedRun &run_;
    SharedProgram &shared_;
    const int process_;
    const Between between_;
    Handles handles_;
    std::array<Work, kMaxWorks> works_;
    std::array<std::unique_ptr<host::testing::Gate>, kMaxWorks> gates_;
};

} // namespace gs::oracle
