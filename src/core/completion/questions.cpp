// SPDX-License-Identifier: Apache-2.0
#include "core/completion/questions.hpp"

#include "handle/grace.hpp"

namespace gs {
namespace {

// One question to the driver. True: the point is reached, or never will be, and has its outcome.
bool ask_point(ThreadBlock &thread, Point &point) noexcept {
    point.outcome = {GS_OK, 0, 0}; // not that of its use before
    if (point.event == 0) return true;
    bool done = false;
    const CallMark mark(thread); // a reset of the device waits for the question
    Status status = check_health(*point.device);
    if (status.ok()) status = point.device->backend->event_query(thread, point.device->ordinal, point.event, &done);
    if (status.ok() && !done) return false;
    if (!status.ok() && point.retries && check_health(*point.device).ok()) return false;
    if (!status.ok()) point.outcome = {status.code, thread.pending.native_code, 0};
    return true;
}

// The first point is done. A point that is done answers for those in front of it, so of many that are done a few are asked about,
// ever farther ahead. That spares the driver questions, and the events of the others stay with the processor of the thread that
// records them again. Returns the point that is not done; nullptr: it came to none.
const Point *look_ahead(ThreadBlock &thread, Lane &lane) noexcept {
    Point *known = lane.first;
    for (size_t stride = 1; known->next; stride *= 2) {
        Point *ahead = known;
        for (size_t i = 0; i < stride && ahead->next; ++i) ahead = ahead->next;
        if (!ask_point(thread, *ahead)) return ahead;
        if (ahead->outcome.status != GS_OK) {
            lane.failed = ahead; // its turn comes after those in front of it
            return nullptr;
        }
        if (ahead->event == 0) return nullptr; // does not speak for the others
        known = ahead;
        lane.done = known->number;
    }
    return nullptr;
}

} // namespace

bool ask_first(ThreadBlock &thread, Lane &lane, const Point **pending) noexcept {
    Point &point = *lane.first;
    if (&point == lane.failed) return true;
    if (&point == *pending) return false;
    if (point.number <= lane.done) {
        point.outcome = {GS_OK, 0, 0};
        return true;
    }
    if (!ask_point(thread, point)) return false;
    if (point.outcome.status == GS_OK && point.event != 0 && !lane.failed) *pending = look_ahead(thread, lane);
    return true;
}

} // namespace gs
