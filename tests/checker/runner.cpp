// SPDX-License-Identifier: Apache-2.0
#include "checker/runner.hpp"

namespace gs::check::test {
namespace {

// Of a variable, which no allocator gives to another thread.
const void *address_of(uint8_t byte) {
    static const char memory[UINT8_MAX + 1] = {};
    return memory + byte;
}

Stream make_numbered(int index) {
    return make_stream(device_of_stream(index), index == kBlockingStream ? uint32_t{GS_STREAM_BLOCKING} : 0u);
}

} // namespace

Runner::Runner() {
    for (int i = 0; i < kStreams; ++i)
        if (i <= kBlockingStream || i == kSecondDevice) streams_[i] = make_numbered(i);
    for (Event &event : events_) event = make_event();
}

gs_stream_t Runner::stream(int index) {
    gs_stream_t found = streams_[index];
    if (index == kDefaultStream || index == kSecondDefault) {
        EXPECT_OK(gs_default_stream(device_of_stream(index), &found));
    } else if (index == kPerThreadStream) {
        EXPECT_OK(gs_per_thread_stream(0, &found));
    }
    return found;
}

void Runner::step(const Step &step, bool *out_done) {
    const gs_stream_t on = stream(step.stream);
    const size_t bytes = static_cast<size_t>(step.end) - step.begin;
    int32_t done = 0;
    switch (step.what) {
    case Do::Read: EXPECT_OK(gs_check_read(on, address_of(step.begin), bytes, nullptr)); break;
    case Do::Write: EXPECT_OK(gs_check_write(on, address_of(step.begin), bytes, nullptr)); break;
    case Do::Record: EXPECT_OK(gs_event_record(events_[step.other], on)); break;
    case Do::Wait: EXPECT_OK(gs_stream_wait_event(on, events_[step.other])); break;
    case Do::WaitStream: EXPECT_OK(gs_stream_wait_stream(on, stream(step.other))); break;
    case Do::SyncEvent: EXPECT_OK(gs_event_synchronize(events_[step.other])); break;
    case Do::SyncStream: EXPECT_OK(gs_stream_synchronize(on)); break;
    case Do::SyncDevice: EXPECT_OK(gs_device_synchronize(step.other)); break;
    case Do::QueryEvent: EXPECT_OK(gs_event_query(events_[step.other], &done)); break;
    case Do::HandOver: EXPECT_OK(gs_check_handover(&clocks_[step.other])); break;
    case Do::RenewEvent: events_[step.other] = make_event(); break;
    case Do::RenewStream: streams_[step.stream] = make_numbered(step.stream); break;
    }
    *out_done = done != 0;
}

Outcome Runner::run(const Program &program) {
    // Each program begins with events that were never recorded.
    if (used_)
        for (Event &event : events_) event = make_event();
    used_ = true;
    Model model;
    Outcome outcome;
    Checking checking;
    for (const Step &one : program) {
        bool done = false;
        if (one.thread == 0)
            step(one, &done);
        else
            others_[one.thread - 1].run([&] { step(one, &done); });
        outcome.race = model.take(one, done) || outcome.race;
    }
    outcome.reported = checking.count();
    return outcome;
}

} // namespace gs::check::test
