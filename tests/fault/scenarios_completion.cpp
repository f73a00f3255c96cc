// SPDX-License-Identifier: Apache-2.0
// Queues, waits with a limit, wait modes and deferred functions.
#include <array>
#include <atomic>
#include <thread>

#include "fault/scenario.hpp"

namespace gs::test {
namespace {

// A stream that is held until the scenario ends. The flag outlives it, since the scenario does not wait for the stream.
class Held {
public:
    Held() : open_(flags_[count_++ % 16]) { open_ = false; }
    ~Held() { open(); }
    void open() { open_ = true; }
    Held(const Held &) = delete;
    Held &operator=(const Held &) = delete;
    static void wait(void *flag) {
        while (!*static_cast<std::atomic<bool> *>(flag)) std::this_thread::yield();
    }
    void *flag() { return &open_; }

private:
    inline static std::atomic<bool> flags_[16];
    inline static std::atomic<unsigned> count_{0};
    std::atomic<bool> &open_;
};

// Exactly one entry per add that returned GS_OK, whatever fails.
void queue(Run &run) {
    STREAM(stream);
    EVENT(event);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MAKE(event, gs_event_create(0, event.out()));
    Made<gs_queue_t, gs_queue_destroy> queue(run, "gs_queue_destroy(queue)");
    MAKE(queue, gs_queue_create(8, 0, queue.out()));
    int32_t fd = -1;
    DO(gs_queue_fd(queue, run.out(&fd)));
    Held held;
    DO(gs_stream_launch_host(stream, Held::wait, held.flag()));
    size_t added = 0;
    const auto add = [&](const char *text, auto &&call) {
        if (!run.step(text, GS_OK, call)) return false;
        ++added;
        return true;
    };
    (void)(add("gs_queue_add_stream(queue, stream, 1)", [&] { return gs_queue_add_stream(queue, stream, 1); }) &&
           run.step("gs_event_record(event, stream)", GS_OK, [&] { return gs_event_record(event, stream); }) &&
           add("gs_queue_add_event(queue, event, 2)", [&] { return gs_queue_add_event(queue, event, 2); }) &&
           add("gs_queue_add_stream(queue, stream, 3)", [&] { return gs_queue_add_stream(queue, stream, 3); }));
    held.open();
    for (size_t taken = 0; taken < added;) {
        gs_completion_t entries[8];
        size_t count = 0;
        run.called("gs_queue_wait(queue)");
        const gs_status_t got = gs_queue_wait(queue, entries, 8, -1, &count);
        run.require(got == GS_OK, "gs_queue_wait needs no driver");
        if (got != GS_OK) break;
        taken += count;
        run.require(taken <= added, "one entry for each add");
    }
}

// With limits of 0, so that each wait asks a known number of times.
void limits(Run &run) {
    STREAM(stream);
    EVENT(event);
    EVENT(other);
    Held held;
    size_t index = 0;
    std::array<gs_event_t, 2> events{};
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MAKE(event, gs_event_create(0, event.out()));
    MAKE(other, gs_event_create(0, other.out()));
    events = {event, other};
    DO(gs_event_record(event, stream));
    DO(gs_event_record(other, stream));
    DO(gs_stream_synchronize(stream));
    DO(gs_stream_synchronize_for(stream, 0));
    DO(gs_event_synchronize_for(event, 0));
    DO(gs_device_synchronize_for(0, -1));
    DO(gs_event_synchronize_any(events.data(), 2, 0, run.out(&index)));
    DO(gs_stream_launch_host(stream, Held::wait, held.flag()));
    DO(gs_event_record(event, stream));
    DO(gs_event_record(other, stream));
    DO_FAILING(GS_ERROR_TIMEOUT, gs_event_synchronize_for(event, 0));
    DO_FAILING(GS_ERROR_TIMEOUT, gs_event_synchronize_any(events.data(), 2, 0, run.out(&index)));
    DO_FAILING(GS_ERROR_TIMEOUT, gs_event_synchronize_all(events.data(), 2, 0));
    DO_FAILING(GS_ERROR_TIMEOUT, gs_stream_synchronize_for(stream, 0));
    DO_FAILING(GS_ERROR_TIMEOUT, gs_device_synchronize_for(0, 0));
}

void wait_modes(Run &run) {
    for (const int32_t mode : {GS_WAIT_SPIN, GS_WAIT_BLOCK, GS_WAIT_ADAPTIVE, GS_WAIT_DRIVER}) {
        const bool set = run.step("gs_set_option(GS_OPTION_WAIT_MODE, mode)", GS_OK,
                                  [&] { return gs_set_option(GS_OPTION_WAIT_MODE, mode); });
        run.require(set, "setting a mode needs no driver");
    }
}

// The functions run once each, in any order with later runs of this scenario, which count in places of their own.
void defer(Run &run) {
    static std::atomic<int> g_ran[16];
    static std::atomic<unsigned> g_runs{0};
    std::atomic<int> &ran = g_ran[g_runs++ % 16];
    ran = 0;
    const auto count = [](void *place) { ++*static_cast<std::atomic<int> *>(place); };
    STREAM(stream);
    Held held;
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    DO(gs_stream_launch_host(stream, Held::wait, held.flag()));
    DO(gs_stream_defer(stream, count, &ran));
    DO(gs_stream_defer(stream, count, &ran));
    DO(gs_stream_sleep(stream, 1000)); // marks them
    DO(gs_stream_defer(stream, count, &ran));
    DO(gs_trim());
    run.require(ran == 0 || gs_device_check(0) != GS_OK, "no function runs before the work is done");
    held.open();
    if (!run.hit_step.empty()) return; // the marks may have failed; the functions run at a later one
    // One that never runs shows as a child that hangs.
    while (ran < 3) std::this_thread::yield();
}

} // namespace

std::vector<Scenario> completion_scenarios() {
    return {{"queue", queue}, {"limits", limits}, {"wait_modes", wait_modes}, {"defer", defer}};
}

} // namespace gs::test
