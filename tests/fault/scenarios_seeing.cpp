// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include "fault/scenario.hpp"

namespace gs::test {
namespace {

// Names need no driver, so a failing one leaves them as they are.
void names(Run &run) {
    STREAM(stream);
    EVENT(event);
    int32_t previous = 0;
    MAKE(stream, gs_stream_create(1, 0, 0, stream.out()));
    MAKE(event, gs_event_create(0, event.out()));
    DO(gs_stream_set_name(stream, "upload"));
    DO(gs_event_set_name(event, "uploaded"));
    DO(gs_forbid_sync(0, run.out(&previous)));
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    DO(gs_dump(null));
    close(null);
}

// Calls that fail while the checker is on are not remembered as order, and raise no report.
void checked(Run &run) {
    STREAM(one);
    STREAM(two);
    EVENT(event);
    uint64_t clock = 0;
    int reports = 0;
    MAKE(one, gs_stream_create(0, 0, 0, one.out()));
    MAKE(two, gs_stream_create(0, 0, 0, two.out()));
    MAKE(event, gs_event_create(0, event.out()));
    struct End {
        ~End() {
            (void)gs_check_stop();
            (void)gs_set_check_callback(nullptr, nullptr);
        }
    } end;
    DO(gs_set_check_callback([](void *count, const char *, const char *) { ++*static_cast<int *>(count); }, &reports));
    DO(gs_check_start(0));
    DO(gs_check_write(one, &clock, sizeof clock, "first"));
    DO(gs_event_record(event, one));
    DO(gs_stream_wait_event(two, event));
    DO(gs_check_read(two, &clock, sizeof clock, "second"));
    DO(gs_check_handover(&clock));
    DO(gs_stream_synchronize(two));
    run.require(reports == 0, "no race was reported");
    DO(gs_check_stop());
}

} // namespace

std::vector<Scenario> seeing_scenarios() { return {{"names", names}, {"checked", checked}}; }

} // namespace gs::test
