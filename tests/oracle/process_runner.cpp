// SPDX-License-Identifier: Apache-2.0
#include "oracle/process_runner.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/testing.hpp"
#include "oracle/process_session.hpp"
#include "support/child_process.hpp"
#include "support/seeded_bug.hpp"

namespace gs::oracle {
namespace {

constexpr int kLastProcessRounds = 20'000; // until everything has run; more means that some work never will

using ProcessSessions = std::vector<std::unique_ptr<ProcessSession>>;

std::vector<Program> programs_of(uint64_t first_seed, uint64_t count) {
    std::vector<Program> programs;
    for (uint64_t i = 0; i < count; ++i) programs.push_back(generate_shared(first_seed + i));
    return programs;
}

// What the engine's worker and watcher have before them gets done. The wait for another process's record, complete for
// long, is answered by a round of the watcher, and each round answers all waits that are over.
class Settler {
public:
    Settler(SharedRun &run, int process) : run_(run), process_(process) {}
    ~Settler() {
        (void)gs_event_destroy(event_);
        (void)gs_stream_destroy(stream_);
    }
    Settler(const Settler &) = delete;
    Settler &operator=(const Settler &) = delete;

    bool start() {
        static_assert(kMaxWorks >= kProcesses);
        gs_event_t own = nullptr;
        bool ok = gs_stream_create(0, 0, GS_STREAM_DEDICATED, &stream_) == GS_OK &&
                  gs_event_create(GS_EVENT_INTERPROCESS, &own) == GS_OK &&
                  gs_event_ipc_export(own, &run_.programs[process_].handles[0]) == GS_OK &&
                  gs_event_record(own, stream_) == GS_OK;
        if (!ok) run_.fail("the settler cannot start");
        const int next = (process_ + 1) % kProcesses;
        ok = run_.meet() && gs_event_ipc_open(0, &run_.programs[next].handles[0], &event_) == GS_OK;
        if (!ok) run_.fail("the settler cannot open the event");
        return run_.meet() && ok;
    }
    bool settle(int rounds) {
        for (int i = 0; i < rounds; ++i) {
            // The stream is busy at the wait, which is therefore queued.
            const bool ok = gs_stream_launch_host(
                                stream_, [](void *) { usleep(1); }, nullptr) == GS_OK &&
                            gs_stream_wait_event(stream_, event_) == GS_OK &&
                            gs_stream_launch_host(
                                stream_, [](void *) {}, nullptr) == GS_OK &&
                            gs_stream_synchronize(stream_) == GS_OK;
            if (!ok) run_.fail("the settler's stream failed");
            if (!run_.meet()) return false;
        }
        return true;
    }

private:
    SharedRun &run_;
    const int process_;
    gs_stream_t stream_ = nullptr;
    gs_event_t event_ = nullptr;
};

void run_phase(ProcessSessions &sessions, SharedRun &run, int phase, Turns turns, uint32_t *next_turn) {
    for (size_t s = 0; s < sessions.size(); ++s) {
        const auto &ops = sessions[s]->program().ops;
        for (size_t i = 0; i < ops.size(); ++i) {
            if (ops[i].phase != phase) continue;
            const uint32_t number = (*next_turn)++;
            if (!sessions[s]->mine(i)) continue;
            if (turns == Turns::Taken && !run.await_turn(number)) return;
            sessions[s]->execute(i);
            if (turns == Turns::Taken) run.turn.store(number + 1);
        }
    }
}

int run_part(SharedRun &run, int process, const std::vector<Program> &programs, Turns turns, Between between) {
    Settler settler(run, process);
    if (!settler.start()) return 1;
    ProcessSessions sessions;
    int phases = 0, chain = 0;
    for (size_t i = 0; i < programs.size(); ++i) {
        sessions.push_back(std::make_unique<ProcessSession>(programs[i], run, run.programs[i], process, between));
        phases = std::max(phases, programs[i].phases);
        chain = std::max(chain, count_waits(programs[i]));
    }
    if (!run.meet()) return 1;
    for (auto &session : sessions) session->open_events();
    uint32_t next_turn = 0;
    for (int phase = 0; phase < phases; ++phase) {
        if (!run.meet()) return 1;
        run_phase(sessions, run, phase, turns, &next_turn);
        if (!run.meet() || !settler.settle(chain)) return 1;
        for (auto &session : sessions)
            if (phase < session->program().gates) session->open_gate(phase);
    }
    const auto all_ran = [&] {
        return std::all_of(sessions.begin(), sessions.end(), [](const auto &session) { return session->all_ran(); });
    };
    bool told = false;
    for (int i = 0; i < kLastProcessRounds; ++i) {
        if (!told && all_ran()) {
            told = true;
            run.ready.fetch_add(1);
        }
        if (!run.meet()) return 1;
        const bool end = run.ready.load() == kProcesses; // the same for all: none counts between the two meetings
        if (!run.meet()) return 1;
        if (end) return 0;
        if (!settler.settle(1)) return 1;
    }
    run.fail("some work never ran in the batch of seed " + std::to_string(programs.front().seed));
    _exit(1); // the work may still run
}

GS_CHILD(oracle) {
    CHILD_REQUIRE(arguments.size() == 7);
    SharedRun *run = map_run(arguments[0]);
    CHILD_REQUIRE(run != nullptr);
    const int process = std::atoi(arguments[1].c_str());
    const uint64_t seed = std::strtoull(arguments[2].c_str(), nullptr, 10);
    const uint64_t count = std::strtoull(arguments[3].c_str(), nullptr, 10);
    const int bug = std::atoi(arguments[5].c_str());
    const auto between = static_cast<Between>(std::atoi(arguments[6].c_str()));
    testing::seeded_bug.store(static_cast<testing::SeededBug>(bug));
    return run_part(*run, process, programs_of(seed, count), arguments[4] == "taken" ? Turns::Taken : Turns::Free,
                    between);
}

// A folder for the run and for the shared memory of the library.
class Folder {
public:
    Folder() {
        std::string name = "/dev/shm/gpustream-oracle-XXXXXX";
        if (mkdtemp(name.data())) path = name;
    }
    ~Folder() {
        std::error_code ignored;
        if (!path.empty()) std::filesystem::remove_all(path, ignored);
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string path;
};

void judge_batch(const std::vector<Program> &programs, const SharedRun &run, std::vector<Failure> &failures) {
    for (size_t i = 0; i < programs.size(); ++i) {
        const SharedProgram &shared = run.programs[i];
        Execution execution;
        execution.program = &programs[i];
        execution.traces.assign(shared.traces, shared.traces + programs[i].ops.size());
        std::vector<uint32_t> numbers;
        for (int w = 0; w < programs[i].works; ++w) numbers.push_back(shared.numbers[w].load());
        for (size_t w = 0; w < numbers.size(); ++w) execution.ran |= uint64_t{numbers[w] != 0} << w;
        execution.seen = seen_by_number(numbers);
        std::string text = (shared.again.load() & 1) != 0 ? "a work ran twice" : judge(execution);
        if (!text.empty())
            failures.push_back(
                {programs[i].seed, text + " (" + std::to_string(kProcesses) + " processes)\n" + describe(programs[i])});
    }
}

void run_batch(uint64_t seed, uint64_t count, Turns turns, int seeded, Between between,
               std::vector<Failure> &failures) {
    const Folder folder;
    const std::string path = folder.path + "/run";
    std::ofstream(path).close();
    std::error_code error;
    std::filesystem::resize_file(path, sizeof(SharedRun), error);
    SharedRun *run = error ? nullptr : map_run(path);
    if (!run) {
        failures.push_back({seed, "no shared memory for the run"});
        return;
    }
    std::vector<test::Child> children;
    for (int process = 0; process < kProcesses; ++process)
        children.push_back(test::Child::start_self(
            "oracle",
            {path, std::to_string(process), std::to_string(seed), std::to_string(count),
             turns == Turns::Taken ? "taken" : "free", std::to_string(seeded),
             std::to_string(static_cast<int>(between))},
            {{"GPUSTREAM_BACKEND", "host"}, {"GPUSTREAM_HOST_WORKERS", "1"}, {"GPUSTREAM_SHM_DIR", folder.path}}));
    for (test::Child &child : children) {
        const test::Outcome outcome = child.wait();
        if (outcome.clean() || !failures.empty()) continue;
        run->fail(test::describe(outcome));
        failures.push_back({seed, run->failure});
    }
    if (failures.empty()) judge_batch(programs_of(seed, count), *run, failures);
}

} // namespace

std::vector<Failure> run_in_processes(uint64_t first_seed, uint64_t count, Turns turns, int seeded, Between between) {
    std::vector<Failure> failures;
    for (uint64_t at = 0; at < count && failures.empty(); at += kSharedBatch)
        run_batch(first_seed + at, std::min<uint64_t>(kSharedBatch, count - at), turns, seeded, between, failures);
    return failures;
}

} // namespace gs::oracle
