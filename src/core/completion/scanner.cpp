// SPDX-License-Identifier: Apache-2.0
#include "core/completion/point.hpp"

#include <sys/prctl.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/last_thread.hpp"
#include "base/lock.hpp"
#include "core/completion/lanes.hpp"
#include "core/completion/pace.hpp"

namespace gs {
namespace {

constexpr uint64_t kLingerNs = 1'000'000; // before it parks, so that the next point need not wake it
constexpr uint64_t kMayOversleepNs =
    20'000;                             // a point whose first question is due that much before it wakes up wakes it
constexpr size_t kFewLanes = 32;        // may all be asked at any time
constexpr uint64_t kLaneTurnNs = 3'000; // with more lanes, one is asked at most every (lanes * this)
constexpr uint64_t kLongestLaneUntoldNs =
    20'000'000;                             // of lanes whose backend rings: a device that fails completes nothing
constexpr uint64_t kScannerSlackNs = 1'000; // of the kernel's timers for this thread
constexpr int kScannerPauses = 8;           // between two questions while spinning: others need the driver's lock

constinit Inbox g_inbox;
std::atomic<uint32_t> g_bell{0}; // rung by threads that add points, and by backends
std::atomic<uint64_t> g_scanner_turns{0};
std::atomic<uint64_t> g_scanner_wakes{0};

#if defined(GPUSTREAM_SCHEDULED)
constexpr bool kMaySpin = false; // the scheduler's time passes in sleeps only
#else
constexpr bool kMaySpin = true;
#endif

void pause_briefly() noexcept {
    for (int i = 0; i < kScannerPauses; ++i) cpu_relax();
}

class Scanner {
public:
    explicit Scanner(ThreadBlock &thread) noexcept : thread_(thread), budget_(wait_share_percent()) {}

    [[noreturn]] void run() noexcept {
        uint64_t before = monotonic_ns();
        for (;;) {
            const uint32_t bell = g_bell.load(std::memory_order_acquire); // before anything is looked at
            rung_ = bell != bell_;
            bell_ = bell;
            take_inbox(before);
            const uint64_t now = monotonic_ns();
            budget_.pass(now - before, true);
            before = now;
            const uint64_t wanted = scan(now);
            const uint64_t after = monotonic_ns();
            budget_.pass(after - before, true);
            before = after;
            rest(after, wanted);
            const uint64_t awake = monotonic_ns();
            budget_.pass(awake - before, spun_);
            before = awake;
        }
    }

private:
    // Takes the new points over, oldest first. woke_ns: the present turn's begin.
    void take_inbox(uint64_t woke_ns) noexcept {
        Point *taken = g_inbox.take();
        if (!taken && !unplaced_) return;
        Point *oldest = unplaced_;
        Point **last = &oldest;
        while (*last) last = &(*last)->next;
        Point *reversed = nullptr;
        while (Point *point = taken) {
            taken = point->next;
            point->next = reversed;
            reversed = point;
        }
        *last = reversed;
        unplaced_ = nullptr;
        while (Point *point = oldest) {
            oldest = point->next;
            if (point->number == 0) point->number = ++numbered_;
            if (point->added_ns == 0) point->added_ns = woke_ns; // its lane may have ended since
            if (lanes_.add(*point)) continue;
            unplaced_ = point; // with those behind it, until there is memory
            return;
        }
    }

    // Asks about the points that are due and reports those that are reached. Returns when to come back; kParked: there is
    // nothing to come back for.
    uint64_t scan(uint64_t now) noexcept {
        uint64_t newest = 0;
        for (size_t place = 0; place < lanes_.count();)
            if (!is_due(lanes_.at(place), now) || !ask_lane(lanes_.at(place), now, &newest)) ++place;
        if (!reached_.empty() && now >= next_closure_ns_) {
            // What happens before a point that was found reached has been reached by now, but was perhaps asked about too
            // early. Each round that finds more makes another one necessary.
            for (newest = reached_.newest(); newest != 0;) newest = ask_older(newest);
            reached_.tell();
            next_closure_ns_ = lanes_.count() > kFewLanes ? now + lanes_.count() * kLaneTurnNs : 0;
        }
        if (unplaced_) return now + kFirstLongestNapNs;
        if (lanes_.count() == 0 && reached_.empty()) return kParked;
        uint64_t soonest = reached_.empty() ? kParked : next_closure_ns_;
        for (size_t place = 0; place < lanes_.count(); ++place) soonest = std::min(soonest, lanes_.at(place).ask_ns);
        return soonest;
    }

    bool is_due(const Lane &lane, uint64_t now) const noexcept { return lane.ask_ns <= now || (lane.told && rung_); }

    // All lanes whose first point was added before that one. Returns the highest number found, 0: none.
    uint64_t ask_older(uint64_t number) noexcept {
        const uint64_t now = monotonic_ns();
        uint64_t newest = 0;
        for (size_t place = 0; place < lanes_.count();)
            if (lanes_.at(place).first->number > number || !ask_lane(lanes_.at(place), now, &newest)) ++place;
        return newest;
    }

    // True: the lane's place has another one now, or none.
    bool ask_lane(Lane &asked, uint64_t now, uint64_t *newest) noexcept {
        Lane *lane = &asked;
        const Point *pending = nullptr;
        while (lane) {
            Point &point = *lane->first;
            if (point.dropped.load(std::memory_order_acquire)) {
                reached_.drop(*lanes_.take_first(lane, now));
                continue;
            }
            if (!ask_first(thread_, *lane, &pending)) {
                plan(*lane, now);
                return false;
            }
            // A point that was done when it became the first does not show how long its work takes.
            if (point.outcome.status == GS_OK && point.event != 0 && now > lane->since_ns)
                learner_of(point.device->index).add(now - lane->since_ns);
            point.outcome.time_ns = now;
            *newest = std::max(*newest, point.number);
            reached_.add(*lanes_.take_first(lane, now));
        }
        return true;
    }

    void plan(Lane &lane, uint64_t now) noexcept {
        Backend &backend = *lane.first->device->backend;
        if (!lane.told && (backend.caps() & kCapWakes) != 0)
            lane.told = backend.event_signal(lane.first->event, g_bell).ok();
        if (lane.told) {
            lane.ask_ns = now + kLongestLaneUntoldNs;
            lane.spins = false;
            return;
        }
        const uint64_t elapsed = now > lane.since_ns ? now - lane.since_ns : 0;
        if (lane.spins && now > lane.ask_ns) lane.spun_ns += now - lane.ask_ns;
        const Learner::Window window = learner_of(lane.first->device->index).window();
        const Step step = next_step(window, elapsed, lane.spun_ns, wait_share_percent());
        uint64_t pause = step.spin ? 0 : step.sleep_ns;
        if (lanes_.count() > kFewLanes)
            pause = std::max(pause, lanes_.count() * kLaneTurnNs);
        else if (const uint64_t lead = alert_lead_ns(window); lead != 0 && lane.first->soon && !lane.alerted)
            pause = alert(lane, elapsed, window.low_ns - lead, pause);
        lane.spins = pause == 0;
        lane.ask_ns = now + pause;
    }

    // moment: of the wait, when those who wait are alerted. Returns the pause before the next question.
    static uint64_t alert(Lane &lane, uint64_t elapsed, uint64_t moment, uint64_t pause) noexcept {
        lane.alerted = elapsed >= moment;
        if (!lane.alerted) return std::min(pause, moment - elapsed);
        lane.first->soon(*lane.first);
        return pause;
    }

    void rest(uint64_t now, uint64_t until) noexcept {
        spun_ = false;
        if (until == kParked) {
            if (idle_since_ns_ == 0) idle_since_ns_ = now;
            if (now - idle_since_ns_ < kLingerNs) until = now + kFirstLongestNapNs;
        } else {
            idle_since_ns_ = 0;
            if (until <= now) {
                spun_ = kMaySpin && budget_.may_spin();
                if (spun_) return pause_briefly();
                until = now + kShortestNapNs;
            }
        }
        sleep(now, until);
    }

    void sleep(uint64_t now, uint64_t until) noexcept {
        if (g_inbox.begin_sleep(until))
            futex_wait(g_bell, bell_, until == kParked ? 0 : std::max<uint64_t>(until - now, 1));
        g_scanner_turns.fetch_add(1, std::memory_order_relaxed);
        g_inbox.awake();
        if (until == kParked) idle_since_ns_ = 0;
    }

    ThreadBlock &thread_;
    Budget budget_;
    Lanes lanes_;
    ReachedPoints reached_;
    Point *unplaced_ = nullptr; // there was no memory for a lane
    uint64_t numbered_ = 0;
    uint64_t next_closure_ns_ = 0;
    uint64_t idle_since_ns_ = 0;
    uint32_t bell_ = 0;
    bool rung_ = true;  // since the last scan
    bool spun_ = false; // during the last rest
};

void run_scanner(void *) {
    prctl(PR_SET_TIMERSLACK, kScannerSlackNs, 0, 0, 0);
    Scanner(*this_thread()).run(); // start_thread() has reserved the block
}

bool scanner_is_idle(void *, uint64_t *turns) noexcept {
    const bool parked = g_inbox.asleep_until() == kParked;
    *turns = g_scanner_turns.load(std::memory_order_seq_cst);
    return parked && g_inbox.empty();
}

// Each add looks whether it is started. The words above change all the time.
alignas(64) constinit ServiceThread g_scanner{"gs-scanner", run_scanner, scanner_is_idle, nullptr};

} // namespace

Status start_scanner() noexcept { return g_scanner.ensure_started(); }

void watch_point(Point &point) noexcept {
    uint64_t added = point.added_ns;
    const uint64_t event = point.event;
    const Device *device = point.device;
    const uint64_t until = g_inbox.put(point, g_lane_keys);
    // The point is the scanner's now.
    if (until == kAwake) return;
    if (added == 0) added = monotonic_ns();
    if (until <= added + kMayOversleepNs) return; // soon enough for any point
    const Step first = next_step(learner_of(device->index).window(), 0, 0, 100);
    const uint64_t due = added + (event == 0 || first.spin ? 0 : first.sleep_ns);
    if (!g_inbox.end_sleep(due + kMayOversleepNs)) return;
    g_scanner_wakes.fetch_add(1, std::memory_order_relaxed);
    g_bell.fetch_add(1, std::memory_order_release); // after the inbox's words of model added_to_a_sleeper
    futex_wake(g_bell, 1);
}

uint64_t scanner_wakes() noexcept { return g_scanner_wakes.load(std::memory_order_relaxed); }
uint64_t scanner_turns() noexcept { return g_scanner_turns.load(std::memory_order_relaxed); }

} // namespace gs
