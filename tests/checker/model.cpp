// SPDX-License-Identifier: Apache-2.0
#include "checker/program.hpp"

namespace gs::check::test {
namespace {

bool is_blocking(int line) { return line == kBlockingStream || line == kPerThreadStream || line >= kStreams; }
int default_of(int device) { return device == 0 ? kDefaultStream : kSecondDefault; }

} // namespace

int Model::line_of(const Step &step, int stream) {
    return stream == kPerThreadStream && step.thread > 0 ? kStreams + step.thread - 1 : stream;
}

// Who started a thread cannot be seen: it knows what the others know.
void Model::meet(int thread) {
    if (met_[thread]) return;
    met_[thread] = true;
    for (const Set &known : known_) known_[thread] |= known;
}

Model::Set Model::before(const Step &step) const {
    const int line = line_of(step, step.stream);
    Set all = lines_[line] | known_[step.thread];
    if (!met_[step.thread])
        for (const Set &known : known_) all |= known;
    if (line == kDefaultStream) {
        for (int other = 0; other < kLines; ++other)
            if (is_blocking(other)) all |= lines_[other];
        all |= ended_[1];
    } else if (is_blocking(line)) {
        all |= lines_[default_of(0)]; // the second device has no blocking stream
    }
    return all;
}

void Model::submit(const Step &step, int stream) {
    Step at = step;
    at.stream = static_cast<uint8_t>(stream);
    lines_[line_of(step, stream)] = before(at);
}

std::vector<Step> Model::racing_with(const Step &access) const {
    const Set earlier = before(access);
    std::vector<Step> racing;
    for (size_t i = 0; i < accesses_.size(); ++i) {
        const Step &other = accesses_[i];
        const bool overlap = other.begin < access.end && access.begin < other.end;
        const bool writes = other.what == Do::Write || access.what == Do::Write;
        if (overlap && writes && !earlier[i]) racing.push_back(other);
    }
    return racing;
}

bool Model::take(const Step &step, bool done) {
    if (step.what == Do::QueryEvent && !done) return false;
    if (step.what == Do::RenewEvent || step.what == Do::RenewStream) {
        if (step.what == Do::RenewEvent) recorded_[step.other] = false;
        if (step.what == Do::RenewEvent) events_[step.other].reset();
        if (step.what == Do::RenewStream) {
            const int line = line_of(step, step.stream);
            ended_[0] |= device_of_stream(step.stream) == 0 ? lines_[line] : Set();
            if (is_blocking(line)) ended_[1] |= lines_[line];
            lines_[line].reset();
        }
        return false;
    }
    meet(step.thread);
    Set &line = lines_[line_of(step, step.stream)];
    Set &known = known_[step.thread];
    switch (step.what) {
    case Do::Read:
    case Do::Write: {
        const bool races = !racing_with(step).empty();
        submit(step, step.stream);
        line.set(accesses_.size());
        accesses_.push_back(step);
        return races;
    }
    case Do::Record:
        submit(step, step.stream);
        events_[step.other] = line;
        recorded_[step.other] = true;
        break;
    case Do::Wait:
        if (!recorded_[step.other]) break;
        submit(step, step.stream);
        line |= events_[step.other];
        break;
    case Do::WaitStream:
        if (step.stream == step.other) break;
        submit(step, step.other);
        submit(step, step.stream);
        line |= lines_[line_of(step, step.other)];
        break;
    case Do::SyncEvent:
    case Do::QueryEvent: known |= events_[step.other]; break;
    case Do::SyncStream: // of the default stream: covers what work in it would wait for
        known |= line;
        if (step.stream != kDefaultStream) break;
        for (int other = 0; other < kLines; ++other)
            if (is_blocking(other)) known |= lines_[other];
        known |= ended_[1];
        break;
    case Do::SyncDevice:
        for (int other = 0; other < kLines; ++other)
            if ((other < kStreams ? device_of_stream(other) : 0) == step.other) known |= lines_[other];
        if (step.other == 0) known |= ended_[0];
        break;
    case Do::HandOver:
        known |= clocks_[step.other];
        clocks_[step.other] |= known;
        break;
    default: break;
    }
    return false;
}

} // namespace gs::check::test
