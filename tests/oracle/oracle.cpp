// SPDX-License-Identifier: Apache-2.0
#include "oracle/oracle.hpp"

#include <algorithm>

namespace gs::oracle {
namespace {

using Works = uint64_t; // a set of works

struct RecordSeen {
    uint32_t begin;
    uint32_t end; // 0: still in progress
    Works covers; // all that must have run when the record is complete
};

class Judge {
public:
    explicit Judge(const Execution &execution) : execution_(execution), program_(*execution.program) {}

    std::string run() {
        struct Moment {
            uint32_t when;
            size_t op;
            bool begins;
        };
        std::vector<Moment> moments;
        for (size_t i = 0; i < program_.ops.size(); ++i) {
            const Trace &trace = execution_.traces[i];
            if (!trace.executed) return fault(i, "was never executed");
            moments.push_back({trace.begin, i, true});
            moments.push_back({trace.end, i, false});
        }
        std::sort(moments.begin(), moments.end(), [](const Moment &a, const Moment &b) { return a.when < b.when; });
        started_.resize(program_.ops.size());
        record_of_.resize(program_.ops.size());
        for (const Moment &moment : moments) {
            if (moment.begins)
                begin(moment.op);
            else
                end(moment.op);
            if (!fault_.empty()) break;
        }
        return fault_;
    }

private:
    void begin(size_t i) {
        const Op &op = program_.ops[i];
        switch (op.kind) {
        case Kind::Work: check_order(i, op.other, before_[op.stream]); break;
        case Kind::Record:
            record_of_[i] = records_[op.other].size();
            records_[op.other].push_back({execution_.traces[i].begin, 0, before_[op.stream]});
            break;
        case Kind::WaitStream: started_[i] = before_[op.other]; break;
        case Kind::QueryStream:
        case Kind::SyncStream: started_[i] = before_[op.stream]; break;
        default: break;
        }
    }

    void end(size_t i) {
        const Op &op = program_.ops[i];
        const Trace &trace = execution_.traces[i];
        switch (op.kind) {
        case Kind::Work: before_[op.stream] |= Works{1} << op.other; break;
        case Kind::Record: records_[op.other][record_of_[i]].end = trace.end; break;
        case Kind::WaitEvent: before_[op.stream] |= covered_by_wait(op.other, trace); break;
        case Kind::WaitStream: before_[op.stream] |= started_[i]; break;
        case Kind::QueryEvent:
        case Kind::SyncEvent: check_ran(i, covered_by_wait(op.other, trace)); break;
        case Kind::QueryStream:
        case Kind::SyncStream: check_ran(i, started_[i]); break;
        case Kind::RenewEvent: records_[op.other].clear(); break;
        case Kind::RenewStream: before_[op.stream] = 0; break;
        case Kind::Hold: break;
        }
    }

    // What every record covers that was current at some moment of the call; nothing if none need have been made.
    Works covered_by_wait(uint8_t event, const Trace &call) const {
        uint32_t last_begin = 0; // of the records that ended before the call: a later one replaces those before it
        for (const RecordSeen &record : records_[event])
            if (record.end != 0 && record.end < call.begin) last_begin = std::max(last_begin, record.begin);
        if (last_begin == 0) return 0;
        Works common = ~Works{0};
        for (const RecordSeen &record : records_[event]) {
            const bool replaced = record.end != 0 && record.end < last_begin;
            if (!replaced) common &= record.covers;
        }
        return common;
    }

    void check_order(size_t i, uint8_t work, Works earlier) {
        const uint32_t number = execution_.numbers[work];
        if (number == 0) fault_ = fault(i, "never ran");
        for (int w = 0; w < program_.works && fault_.empty(); ++w) {
            if ((earlier >> w & 1) == 0 || execution_.numbers[static_cast<size_t>(w)] < number) continue;
            fault_ = fault(i, "ran before work " + std::to_string(w) + ", which it must follow");
        }
    }

    void check_ran(size_t i, Works covered) {
        const Trace &trace = execution_.traces[i];
        if (trace.done && (covered & ~trace.ran) != 0) fault_ = fault(i, "said done while work was pending");
    }

    std::string fault(size_t i, const std::string &what) const {
        return "operation " + std::to_string(i) + ", " + describe(program_.ops[i]) + ", " + what;
    }

    const Execution &execution_;
    const Program &program_;
    Works before_[kMaxStreams] = {}; // what must run before the next thing in the stream
    std::vector<RecordSeen> records_[kMaxEvents];
    std::vector<Works> started_;    // by op: what was in the other stream when the call began
    std::vector<size_t> record_of_; // by op: index into records_
    std::string fault_;
};

} // namespace

std::string judge(const Execution &execution) { return Judge(execution).run(); }

} // namespace gs::oracle
