// SPDX-License-Identifier: Apache-2.0
#include "oracle/runner.hpp"

#include <algorithm>
#include <barrier>
#include <memory>
#include <thread>
#include <utility>

#include "core/event/event_hot.hpp"
#include "oracle/interleave.hpp"
#include "oracle/session.hpp"

namespace gs::oracle {
namespace {

constexpr int kLastRounds = 100000; // until everything has run; more means that some work never will

using Sessions = std::vector<std::unique_ptr<Session>>;

void run_phase_of_thread(Sessions &sessions, int phase, int thread) {
    for (auto &session : sessions) {
        const auto &ops = session->program().ops;
        for (size_t i = 0; i < ops.size(); ++i)
            if (ops[i].phase == phase && ops[i].thread == thread) session->execute(i);
    }
}

int longest_chain(const Sessions &sessions) {
    int most = 0;
    for (const auto &session : sessions) most = std::max(most, count_waits(session->program()));
    return most;
}

void end_phase(Sessions &sessions, int phase, int chain, Engine &engine) {
    engine.settle(chain);
    for (auto &session : sessions)
        if (phase < session->program().gates) session->open_gate(phase);
    engine.settle(chain);
}

void run_interleaved(Sessions &sessions, int phases, Engine &engine) {
    std::vector<Interleaver> interleavers;
    interleavers.reserve(sessions.size());
    for (auto &session : sessions) interleavers.emplace_back(*session, engine);
    const int chain = longest_chain(sessions);
    for (int phase = 0; phase < phases; ++phase) {
        engine.hold();
        for (Interleaver &interleaver : interleavers) interleaver.run_phase(phase);
        engine.release();
        end_phase(sessions, phase, chain, engine);
    }
}

void run_parallel(Sessions &sessions, int phases, Engine &engine) {
    const int chain = longest_chain(sessions);
    std::barrier<> barrier(kMaxThreads);
    const auto body = [&](int thread) {
        for (int phase = 0; phase < phases; ++phase) {
            barrier.arrive_and_wait();
            run_phase_of_thread(sessions, phase, thread);
            barrier.arrive_and_wait();
            if (thread == 0) end_phase(sessions, phase, chain, engine);
        }
    };
    std::vector<std::thread> threads;
    for (int thread = 1; thread < kMaxThreads; ++thread) threads.emplace_back(body, thread);
    body(0);
    for (std::thread &thread : threads) thread.join();
}

bool wait_for_all(Sessions &sessions, Engine &engine) {
    for (int i = 0; i < kLastRounds && !engine.broken(); ++i) {
        if (std::all_of(sessions.begin(), sessions.end(), [](const auto &session) { return session->all_ran(); }))
            return true;
        engine.settle(0);
    }
    return false;
}

void judge_all(Sessions &sessions, bool elide, std::vector<Failure> &failures) {
    for (auto &session : sessions) {
        std::string text = session->trouble();
        if (text.empty()) text = judge(session->finish());
        if (text.empty()) continue;
        failures.push_back({session->program().seed,
                            text + (elide ? " (elision on)\n" : " (elision off)\n") + describe(session->program())});
    }
}

void run_batch(const std::vector<Program> &programs, Mode mode, bool elide, Site &site,
               std::vector<Failure> &failures) {
    g_elide.store(elide ? 1 : 0);
    Engine &engine = site.engine();
    Sessions sessions;
    int phases = 0;
    for (const Program &program : programs) {
        sessions.push_back(std::make_unique<Session>(program, site.ground(program)));
        phases = std::max(phases, program.phases);
    }
    if (mode == Mode::Interleaved)
        run_interleaved(sessions, phases, engine);
    else
        run_parallel(sessions, phases, engine);
    if (!wait_for_all(sessions, engine)) {
        failures.push_back({programs.front().seed, "some work never ran in the batch that begins with this seed\n"});
        for (auto &session : sessions) (void)session.release(); // the work may still run
        return;
    }
    judge_all(sessions, elide, failures);
}

} // namespace

std::vector<Failure> run_programs(Site &site, uint64_t first_seed, uint64_t count, Mode mode, Elision elision) {
    std::vector<Failure> failures;
    for (uint64_t at = 0; at < count && failures.empty(); at += site.batch()) {
        std::vector<Program> programs;
        for (uint64_t i = at; i < std::min(at + site.batch(), count); ++i) {
            programs.push_back(generate(first_seed + i, mode == Mode::Interleaved, site.has_queues()));
            if (!site.has_two_devices()) programs.back().two_devices = false;
        }
        if (elision != Elision::Off) run_batch(programs, mode, true, site, failures);
        if (elision != Elision::On) run_batch(programs, mode, false, site, failures);
    }
    if (site.engine().broken()) failures.push_back({first_seed, "a call of the engine that runs the programs failed"});
    return failures;
}

} // namespace gs::oracle
