// SPDX-License-Identifier: Apache-2.0
// One program in execution: its objects, and the trace of each operation.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "oracle/ground.hpp"
#include "oracle/handles.hpp"
#include "oracle/oracle.hpp"

namespace gs::oracle {

class Session {
public:
    Session(const Program &program, std::unique_ptr<Ground> ground);
    // All works have run before a session ends; otherwise a work would use freed memory.
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    const Program &program() const { return program_; }
    void execute(size_t op);
    void open_gate(int gate) { ground_->open(gate); }
    bool all_ran() const;
    // The first status that was not GS_OK, or what the ground complains of; empty: none.
    std::string trouble() const;
    Execution finish();

private:
    gs_status_t call(const Op &op, bool *out_done);
    gs_status_t call_on_current(const Op &op);
    void take_entries();
    gs_status_t renew_event(int event);
    gs_status_t renew_stream(int stream);
    gs_status_t make_stream(int stream);
    void note(gs_status_t status, const std::string &what);
    void complain(const std::string &what);

    const Program &program_;
    Handles handles_;
    std::unique_ptr<Ground> ground_;
    std::vector<Trace> traces_;
    std::atomic<uint32_t> clock_{0};
    std::mutex entries_;
    uint32_t entries_taken_ = 0; // guarded by entries_
    std::atomic<gs_status_t> failed_{GS_OK};
    std::string failure_; // written once, by the thread that changed failed_
};

} // namespace gs::oracle
