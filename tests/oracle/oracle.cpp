// SPDX-License-Identifier: Apache-2.0
#include "oracle/oracle.hpp"

#include <algorithm>
#include <utility>

namespace gs::oracle {
namespace {

using Works = uint64_t; // a set of works, and of points from the top

constexpr Works bit_of_point(int point) noexcept { return Works{1} << (63 - point); }
constexpr Works kAllPoints = ~(~Works{0} >> kMaxPoints);

struct RecordSeen {
    uint32_t begin;
    uint32_t end;  // 0: still in progress
    uint32_t rank; // in the order in which the records of an event are assumed to have happened
    Works covers;  // the works that must have run when the record is complete
};

constexpr size_t kMostRaces = 6; // 64 orders to try; further ones remain unordered

using Cluster = std::vector<size_t>; // record operations of one event, each overlapping with another of them

std::vector<Cluster> clusters_of(const Execution &execution, int event) {
    const auto &ops = execution.program->ops;
    const auto &traces = execution.traces;
    std::vector<size_t> records;
    for (size_t i = 0; i < ops.size(); ++i)
        if (ops[i].kind == Kind::Record && ops[i].other == event) records.push_back(i);
    std::sort(records.begin(), records.end(), [&](size_t a, size_t b) { return traces[a].begin < traces[b].begin; });
    std::vector<Cluster> clusters;
    uint32_t until = 0;
    for (const size_t record : records) {
        if (clusters.empty() || traces[record].begin > until) clusters.emplace_back();
        clusters.back().push_back(record);
        until = std::max(until, traces[record].end);
    }
    return clusters;
}

// The order of all records: by time, equal for those that overlap. Exactly two that overlap are returned as a pair, whose
// orders can both be tried.
std::vector<std::pair<size_t, size_t>> rank_records(const Execution &execution, std::vector<uint32_t> &ranks) {
    std::vector<std::pair<size_t, size_t>> pairs;
    for (int event = 0; event < kMaxEvents; ++event) {
        for (const Cluster &cluster : clusters_of(execution, event)) {
            for (const size_t record : cluster) ranks[record] = execution.traces[cluster.front()].begin;
            if (cluster.size() == 2 && pairs.size() < kMostRaces) pairs.emplace_back(cluster[0], cluster[1]);
        }
    }
    return pairs;
}

class Judge {
public:
    // ranks: of the record operations; equal ones have no order.
    Judge(const Execution &execution, const std::vector<uint32_t> &ranks)
        : execution_(execution), program_(*execution.program), ranks_(ranks) {}

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
            records_[op.other].push_back({execution_.traces[i].begin, 0, ranks_[i], before_[op.stream]});
            break;
        case Kind::WaitStream: started_[i] = before_[op.other]; break;
        case Kind::QueryStream:
        case Kind::SyncStream:
        case Kind::AddStream: started_[i] = before_[op.stream]; break;
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
        case Kind::AddStream:
            check_entry(i, started_[i]);
            before_[op.stream] |= bit_of_point(op.other);
            break;
        case Kind::AddEvent: check_entry(i, covered_by_wait(op.stream, trace)); break;
        case Kind::Hold: break;
        }
    }

    // The entry of an add comes after the works that its point covers, and after the entries of the points that it covers.
    void check_entry(size_t i, Works covered) {
        const Trace &trace = execution_.traces[i];
        if (trace.told == 0) fault_ = fault(i, "has no entry");
        if ((covered & ~kAllPoints & ~trace.ran) != 0) fault_ = fault(i, "has an entry while work was pending");
        for (size_t other = 0; other < program_.ops.size() && fault_.empty(); ++other) {
            const Op &op = program_.ops[other];
            if (op.kind != Kind::AddStream || (covered & bit_of_point(op.other)) == 0) continue;
            // Of two adds that overlap neither was first.
            if (execution_.traces[other].end < trace.begin && execution_.traces[other].told > trace.told)
                fault_ = fault(i, "has its entry before that of point " + std::to_string(op.other));
        }
    }

    // The works that every record covers which was current at some moment of the call; empty if there may have been no record.
    Works covered_by_wait(uint8_t event, const Trace &call) const {
        bool any = false;
        Works common = ~Works{0};
        for (const RecordSeen &record : records_[event]) {
            any = any || ended_before(record, call.begin);
            if (!replaced(record, event, call.begin)) common &= record.covers;
        }
        return any ? common : 0;
    }

    static bool ended_before(const RecordSeen &record, uint32_t when) { return record.end != 0 && record.end < when; }

    // Another record had certainly replaced it by then.
    bool replaced(const RecordSeen &record, uint8_t event, uint32_t when) const {
        for (const RecordSeen &later : records_[event])
            if (ended_before(later, when) && (ended_before(record, later.begin) || record.rank < later.rank))
                return true;
        return false;
    }

    void check_order(size_t i, uint8_t work, Works earlier) {
        if ((execution_.ran >> work & 1) == 0) fault_ = fault(i, "never ran");
        const Works missing = earlier & ~kAllPoints & ~execution_.seen[work];
        for (int w = 0; w < program_.works && fault_.empty(); ++w) {
            if ((missing >> w & 1) == 0) continue;
            fault_ = fault(i, "ran before work " + std::to_string(w) + ", which it must follow");
        }
    }

    void check_ran(size_t i, Works covered) {
        const Trace &trace = execution_.traces[i];
        if (trace.done && (covered & ~kAllPoints & ~trace.ran) != 0)
            fault_ = fault(i, "reported done while work was pending");
    }

    std::string fault(size_t i, const std::string &what) const {
        return "operation " + std::to_string(i) + ", " + describe(program_.ops[i]) + ", " + what;
    }

    const Execution &execution_;
    const Program &program_;
    const std::vector<uint32_t> &ranks_;
    Works before_[kMaxStreams] = {}; // what must run before the next operation of the stream
    std::vector<RecordSeen> records_[kMaxEvents];
    std::vector<Works> started_;    // by op: the works in the other stream when the call began
    std::vector<size_t> record_of_; // by op: index into records_
    std::string fault_;
};

} // namespace

std::vector<uint64_t> seen_by_number(const std::vector<uint32_t> &numbers) {
    std::vector<uint64_t> seen(numbers.size(), 0);
    for (size_t work = 0; work < numbers.size(); ++work)
        for (size_t other = 0; other < numbers.size(); ++other)
            if (numbers[other] != 0 && numbers[other] < numbers[work]) seen[work] |= Works{1} << other;
    return seen;
}

std::string judge(const Execution &execution) {
    std::vector<uint32_t> ranks(execution.program->ops.size(), 0);
    const std::vector<std::pair<size_t, size_t>> pairs = rank_records(execution, ranks);
    std::string first;
    for (uint32_t order = 0; order < 1u << pairs.size(); ++order) {
        for (size_t p = 0; p < pairs.size(); ++p) {
            // Between the ranks of the pair's beginning and of whatever comes after it.
            const auto [one, other] = pairs[p];
            const bool swapped = (order >> p & 1) != 0;
            const uint32_t rank = execution.traces[one].begin;
            ranks[one] = rank + (swapped ? 1 : 0);
            ranks[other] = rank + (swapped ? 0 : 1);
        }
        std::string fault = Judge(execution, ranks).run();
        if (fault.empty()) return fault;
        if (first.empty()) first = std::move(fault);
    }
    return first;
}

} // namespace gs::oracle
