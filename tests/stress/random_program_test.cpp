// SPDX-License-Identifier: Apache-2.0
// Random programs of records, waits and fills over streams and events. One thread runs a program, so that its meaning is
// defined: each step must see what its stream and its waits guarantee, and no step is lost.
#include <array>

#include "stress.hpp"

namespace gs::test {
namespace {

constexpr uint32_t kStreams = 6;
constexpr uint32_t kEvents = 8;

using Clock = std::array<uint32_t, kStreams>; // how many steps of each stream must be done

struct Program {
    std::vector<Stream> streams;
    std::vector<Event> events;
    Clock promised[kStreams] = {}; // what each stream has waited for
    Clock recorded[kEvents] = {};  // what each event's record covers
    std::atomic<uint32_t> over[kStreams] = {};
    std::atomic<int> violations{0};
};

struct Step {
    Program *program;
    uint32_t stream;
    uint32_t number;
    Clock before;

    static void run(void *opaque) {
        Step *step = static_cast<Step *>(opaque);
        Program &program = *step->program;
        for (uint32_t s = 0; s < kStreams; ++s)
            if (program.over[s].load(std::memory_order_acquire) < step->before[s]) ++program.violations;
        if (program.over[step->stream].load() + 1 != step->number) ++program.violations; // each once, in order
        program.over[step->stream].store(step->number, std::memory_order_release);
        delete step;
    }
};

void join(Clock &into, const Clock &from) {
    for (uint32_t s = 0; s < kStreams; ++s) into[s] = std::max(into[s], from[s]);
}

void check_done(const Program &program, const Clock &clock) {
    for (uint32_t s = 0; s < kStreams; ++s) EXPECT_GE(program.over[s].load(), clock[s]);
}

void one(Program &program, Random &random) {
    const uint32_t s = random.below(kStreams);
    const uint32_t e = random.below(kEvents);
    gs_stream_t stream = program.streams[s];
    gs_event_t event = program.events[e];
    switch (random.below(9)) {
    case 0:
    case 1: {
        if (random.chance(30)) EXPECT_OK(gs_stream_sleep(stream, random.below(30'000)));
        auto *step = new Step{&program, s, program.promised[s][s] + 1, program.promised[s]};
        EXPECT_OK(gs_stream_launch_host(stream, Step::run, step));
        ++program.promised[s][s];
        break;
    }
    case 2:
    case 3:
        EXPECT_OK(gs_event_record(event, stream));
        program.recorded[e] = program.promised[s];
        break;
    case 4:
    case 5:
        EXPECT_OK(gs_stream_wait_event(stream, event));
        join(program.promised[s], program.recorded[e]);
        break;
    case 6: {
        const uint32_t other = random.below(kStreams);
        EXPECT_OK(gs_stream_wait_stream(stream, program.streams[other]));
        join(program.promised[s], program.promised[other]);
        break;
    }
    case 7:
        if (done(event)) check_done(program, program.recorded[e]);
        if (!random.chance(10)) break;
        EXPECT_OK(gs_event_synchronize(event));
        check_done(program, program.recorded[e]);
        EXPECT_TRUE(done(event));
        break;
    default:
        if (random.chance(50)) { // replaces it by another event or stream
            program.events[e] = make_event(random.chance(50) ? GS_EVENT_TIMING : 0);
            program.recorded[e] = {};
        } else if (random.chance(20)) {
            EXPECT_OK(gs_stream_synchronize(stream));
            check_done(program, program.promised[s]);
        }
    }
}

// All streams on one device: an event keeps its device, and the program may record any event anywhere.
void run_program(uint32_t seed, int steps) {
    Random random(seed);
    Program program;
    for (uint32_t s = 0; s < kStreams; ++s)
        program.streams.push_back(make_stream(0, random.chance(20) ? GS_STREAM_BLOCKING : 0));
    for (uint32_t e = 0; e < kEvents; ++e) program.events.push_back(make_event());
    for (int i = 0; i < steps; ++i) one(program, random);
    EXPECT_OK(gs_device_synchronize(0));
    for (uint32_t s = 0; s < kStreams; ++s) EXPECT_EQ(program.over[s], program.promised[s][s]);
    EXPECT_EQ(program.violations, 0) << "seed " << seed;
}

TEST(RandomPrograms, EveryStepSeesWhatItWasPromised) {
    const int programs = rounds(150, 25);
    for (int i = 0; i < programs; ++i) run_program(base_seed() + static_cast<uint32_t>(i), 400);
}

TEST(RandomPrograms, SeveralAtOnce) {
    const int programs = rounds(40, 6);
    run_threads(6, [&](int t) {
        for (int i = 0; i < programs; ++i) {
            // Device synchronisation covers the other threads' work as well, which is harmless.
            run_program(base_seed() + 10'000u * static_cast<uint32_t>(t + 1) + static_cast<uint32_t>(i), 300);
        }
    });
    settle();
}

} // namespace
} // namespace gs::test
