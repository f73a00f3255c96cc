// SPDX-License-Identifier: Apache-2.0
#include "checker/program.hpp"

#include <algorithm>

#include "oracle/program.hpp"

namespace gs::check::test {
namespace {

using oracle::Random;

constexpr Do kOrdering[] = {Do::Record,     Do::Record,    Do::Wait,       Do::Wait,
                            Do::WaitStream, Do::SyncEvent, Do::SyncStream, Do::SyncDevice,
                            Do::QueryEvent, Do::HandOver,  Do::RenewEvent, Do::RenewStream};

class Generator {
public:
    Generator(uint64_t seed, int threads) : random_(seed), threads_(threads) {}

    Program run() {
        const int steps = 12 + random_.below(28);
        for (int i = 0; i < steps; ++i) random_.percent(55) ? add_access() : add_ordering();
        return program_;
    }

private:
    uint8_t below(int n) { return static_cast<uint8_t>(random_.below(n)); }
    Step somewhere(Do what) {
        Step step;
        step.what = what;
        step.thread = below(threads_);
        step.stream = below(kStreams);
        return step;
    }
    void add(const Step &step) {
        program_.push_back(step);
        model_.take(step);
        const bool renews = step.what == Do::RenewEvent || step.what == Do::RenewStream;
        known_[step.thread] = known_[step.thread] || !renews;
    }

    uint8_t event_for(int stream) { return static_cast<uint8_t>(2 * random_.below(2) + device_of_stream(stream)); }

    void add_access() {
        Step step = somewhere(random_.percent(45) ? Do::Write : Do::Read);
        step.begin = below(kBlockBytes);
        step.end = static_cast<uint8_t>(step.begin + 1 + random_.below(static_cast<int>(kBlockBytes) - step.begin));
        for (const Step &other : model_.racing_with(step)) {
            if (races(other, step)) order(other, step);
            // The stream has ended: only the whole device can still be waited for.
            if (races(other, step)) synchronize_device(other, step);
        }
        add(step);
    }

    bool races(const Step &earlier, const Step &next) const {
        const std::vector<Step> racing = model_.racing_with(next);
        return std::find(racing.begin(), racing.end(), earlier) != racing.end();
    }

    void synchronize_device(const Step &earlier, const Step &next) {
        Step step;
        step.what = Do::SyncDevice;
        step.thread = next.thread;
        step.other = static_cast<uint8_t>(device_of_stream(earlier.stream));
        add(step);
    }

    // Orders the earlier access before the next one, in one of the ways that there are.
    void order(const Step &earlier, const Step &next) {
        Step step;
        step.thread = earlier.thread;
        step.stream = earlier.stream;
        const int way = random_.below(4);
        if (way == 0) { // the host waits
            step.what = Do::SyncStream;
            add(step);
            if (earlier.thread == next.thread) return;
            step.what = Do::HandOver;
            step.other = below(kClocks);
            add(step);
            step.thread = next.thread;
            return add(step);
        }
        const bool own = earlier.stream != kPerThreadStream || earlier.thread == next.thread;
        if (way == 1 && own && earlier.stream != next.stream) {
            step.what = Do::WaitStream;
            step.thread = next.thread;
            step.stream = next.stream;
            step.other = earlier.stream;
            return add(step);
        }
        step.what = Do::Record;
        step.other = event_for(step.stream);
        add(step);
        step.what = Do::Wait;
        step.thread = next.thread;
        step.stream = next.stream;
        add(step);
    }

    void add_ordering() {
        Step step = somewhere(kOrdering[random_.below(static_cast<int>(std::size(kOrdering)))]);
        switch (step.what) {
        case Do::Record: step.other = event_for(step.stream); break;
        case Do::WaitStream: step.other = below(kStreams); break;
        case Do::SyncDevice: step.other = below(2); break;
        case Do::HandOver: step.other = below(kClocks); break;
        // Only streams that the program makes: not the default ones.
        case Do::RenewStream: step.stream = below(kBlockingStream + 1); break;
        default: step.other = below(kEvents); break;
        }
        // What a thread knows at its first call would depend on what the query says.
        if (step.what == Do::QueryEvent && !known_[step.thread]) step.what = Do::SyncEvent;
        add(step);
    }

    Random random_;
    int threads_;
    bool known_[kThreads] = {}; // threads that the checker has seen
    Program program_;
    Model model_;
};

constexpr const char *kNames[] = {"read",        "write",       "record", "wait",      "wait_stream", "sync_event",
                                  "sync_stream", "sync_device", "query",  "hand_over", "renew_event", "renew_stream"};

} // namespace

Program race_free_program(uint64_t seed, int threads) { return Generator(seed, threads).run(); }

bool orders(const Step &step) {
    switch (step.what) {
    case Do::Wait:
    case Do::WaitStream:
    case Do::SyncEvent:
    case Do::SyncStream:
    case Do::SyncDevice:
    case Do::HandOver: return true;
    default: return false;
    }
}

std::string describe(const Program &program) {
    std::string text;
    for (size_t i = 0; i < program.size(); ++i) {
        const Step &step = program[i];
        text += std::to_string(i) + ": " + kNames[static_cast<int>(step.what)] + " thread " +
                std::to_string(step.thread) + " stream " + std::to_string(step.stream) + " other " +
                std::to_string(step.other) + " bytes [" + std::to_string(step.begin) + ", " + std::to_string(step.end) +
                ")\n";
    }
    return text;
}

} // namespace gs::check::test
