// SPDX-License-Identifier: Apache-2.0
#include "oracle/program.hpp"

#include <string>
#include <utility>

namespace gs::oracle {
namespace {

constexpr int kOpsPerPhase = 12;

constexpr Weighted<Kind> kWeights[] = {{Kind::Work, 26},       {Kind::Record, 22},    {Kind::WaitEvent, 24},
                                       {Kind::QueryEvent, 12}, {Kind::WaitStream, 5}, {Kind::QueryStream, 3},
                                       {Kind::RenewEvent, 5},  {Kind::RenewStream, 3}};

// Blocks the caller: used only where no gate can be closed any more.
Kind maybe_synchronize(Random &random, Kind kind, bool allowed) {
    if (!allowed || !random.percent(4)) return kind;
    if (kind == Kind::QueryEvent || kind == Kind::WaitEvent) return Kind::SyncEvent;
    return kind == Kind::Work ? Kind::SyncStream : kind;
}

// An event can be recorded on streams of its device only.
int stream_for_event(Random &random, const Program &program, int event) {
    int stream = random.below(program.streams);
    if (program.device_of(stream) != program.device_of(event)) stream ^= 1;
    return stream < program.streams ? stream : event & 1;
}

Op make_op(Random &random, Program &program, int phase, bool renewals) {
    Op op;
    op.phase = static_cast<uint8_t>(phase);
    op.thread = static_cast<uint8_t>(random.below(program.threads));
    op.stream = static_cast<uint8_t>(random.below(program.streams));
    op.kind = maybe_synchronize(random, random.pick(kWeights), phase >= program.gates);
    const bool renews = op.kind == Kind::RenewEvent || op.kind == Kind::RenewStream;
    if ((renews && !renewals) || (op.kind == Kind::Work && program.works == kMaxWorks)) op.kind = Kind::QueryEvent;
    switch (op.kind) {
    case Kind::Work: op.other = static_cast<uint8_t>(program.works++); break;
    case Kind::WaitStream: op.other = static_cast<uint8_t>(random.below(program.streams)); break;
    case Kind::Record:
        op.other = static_cast<uint8_t>(random.below(program.events));
        op.stream = static_cast<uint8_t>(stream_for_event(random, program, op.other));
        break;
    default: op.other = static_cast<uint8_t>(random.below(program.events)); break;
    }
    return op;
}

// From numbers of their own, so that programs without bridges are what they were.
void go_by_current_streams(Program &program) {
    Random random(program.seed ^ 0x9B1D6E5u);
    if (!random.percent(25)) return;
    for (Op &op : program.ops) {
        if (op.kind != Kind::Work && op.kind != Kind::Record && op.kind != Kind::WaitEvent) continue;
        if (random.percent(50)) continue;
        op.by = static_cast<By>(1 + random.below(3));
        op.mode = static_cast<uint8_t>(random.below(4));
    }
}

// Puts adds to the queue between the operations of a finished program, which stays what it was without them.
void add_points(Program &program) {
    Random random(~program.seed);
    if (random.percent(75)) return;
    std::vector<Op> ops;
    for (const Op &op : program.ops) {
        ops.push_back(op);
        if (program.points == kMaxPoints || !random.percent(25)) continue;
        Op add;
        add.kind = random.percent(60) ? Kind::AddStream : Kind::AddEvent;
        add.phase = op.phase;
        add.thread = op.thread;
        add.stream = static_cast<uint8_t>(random.below(add.kind == Kind::AddStream ? program.streams : program.events));
        add.other = static_cast<uint8_t>(program.points++);
        ops.push_back(add);
    }
    program.ops = std::move(ops);
}

std::string how(const Op &op) {
    static const char *const kBy[] = {"", ", pushed", ", set", ", set by the other library"};
    static const char *const kMode[] = {"", ", leading", ", following", ", leading and following"};
    return op.by == By::Handle ? "" : kBy[static_cast<int>(op.by)] + std::string(kMode[op.mode]);
}

constexpr const char *kOpNames[] = {"work",         "hold",         "record",     "wait_event",  "wait_stream",
                                    "query_event",  "query_stream", "sync_event", "sync_stream", "renew_event",
                                    "renew_stream", "add_stream",   "add_event"};

} // namespace

uint64_t Random::next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

Program generate(uint64_t seed, bool renewals, bool points) {
    Random random(seed);
    Program program;
    program.seed = seed;
    program.two_devices = random.percent(25);
    program.streams = program.two_devices ? 2 + 2 * random.below(2) : 1 + random.below(kMaxStreams);
    program.events = 1 + random.below(kMaxEvents);
    program.threads = 1 + random.below(kMaxThreads);
    program.gates = random.below(3);
    program.phases = program.gates + 1 + random.below(2);
    for (int gate = 0; gate < program.gates; ++gate) {
        Op hold;
        hold.kind = Kind::Hold;
        hold.phase = static_cast<uint8_t>(random.below(gate + 1));
        hold.stream = static_cast<uint8_t>(random.below(program.streams));
        hold.other = static_cast<uint8_t>(gate);
        program.ops.push_back(hold);
    }
    for (int phase = 0; phase < program.phases; ++phase) {
        const int count = 2 + random.below(kOpsPerPhase);
        for (int i = 0; i < count; ++i) program.ops.push_back(make_op(random, program, phase, renewals));
    }
    go_by_current_streams(program);
    if (points) add_points(program);
    return program;
}

int count_waits(const Program &program) {
    int waits = 0;
    for (const Op &op : program.ops)
        waits += op.kind == Kind::WaitEvent || op.kind == Kind::WaitStream || op.kind == Kind::Hold;
    return waits;
}

std::string describe(const Op &op) {
    std::string text = "phase " + std::to_string(op.phase) + " thread " + std::to_string(op.thread) + ": " +
                       kOpNames[static_cast<int>(op.kind)];
    switch (op.kind) {
    case Kind::Work: return text + "(s" + std::to_string(op.stream) + ", w" + std::to_string(op.other) + ")" + how(op);
    case Kind::Hold: return text + "(s" + std::to_string(op.stream) + ", gate " + std::to_string(op.other) + ")";
    case Kind::WaitStream: return text + "(s" + std::to_string(op.stream) + ", s" + std::to_string(op.other) + ")";
    case Kind::QueryStream:
    case Kind::SyncStream:
    case Kind::RenewStream: return text + "(s" + std::to_string(op.stream) + ")";
    case Kind::QueryEvent:
    case Kind::SyncEvent:
    case Kind::RenewEvent: return text + "(e" + std::to_string(op.other) + ")";
    case Kind::AddStream: return text + "(s" + std::to_string(op.stream) + ", p" + std::to_string(op.other) + ")";
    case Kind::AddEvent: return text + "(e" + std::to_string(op.stream) + ", p" + std::to_string(op.other) + ")";
    case Kind::Record:
    case Kind::WaitEvent: break;
    }
    return text + "(s" + std::to_string(op.stream) + ", e" + std::to_string(op.other) + ")" + how(op);
}

std::string describe(const Program &program) {
    std::string text = "seed " + std::to_string(program.seed) + ", " + std::to_string(program.threads) + " threads, " +
                       std::to_string(program.gates) + " gates" + (program.two_devices ? ", two devices" : "") + "\n";
    for (const Op &op : program.ops) text += "  " + describe(op) + "\n";
    return text;
}

} // namespace gs::oracle
