// SPDX-License-Identifier: Apache-2.0
// Queues of completions, and waits for several events.
#pragma once

#include <initializer_list>
#include <type_traits>
#include <vector>

#include "refs.hpp"

GPUSTREAM_BEGIN_NAMESPACE

using completion = gs_completion_t;

/// A queue that someone else owns.
class queue_ref : public detail::reference<gs_queue_t> {
public:
    using reference::reference;

    /// One entry with the token is delivered when the stream's work so far is done, has failed, or was cancelled.
    /// status::full if as many are undelivered as the queue may have.
    outcome<void> add(stream_ref stream, uint64_t token) const {
        return detail::done(gs_queue_add_stream(get(), stream.get(), token));
    }
    outcome<void> add(event_ref event, uint64_t token) const {
        return detail::done(gs_queue_add_event(get(), event.get(), token));
    }
    /// Delivers the token's entries now, with status::cancelled; returns how many.
    outcome<size_t> cancel(uint64_t token) const {
        size_t count = 0;
        const gs_status_t status = gs_queue_cancel(get(), token, &count);
        return detail::value(status, count);
    }
    /// Ends one wait that is under way, or the next.
    outcome<void> wake() const { return detail::done(gs_queue_wake(get())); }
    /// Takes what is there; returns how many.
    outcome<size_t> poll(completion *entries, size_t capacity) const {
        size_t count = 0;
        const gs_status_t status = gs_queue_poll(get(), entries, capacity, &count);
        return detail::value(status, count);
    }
    /// Blocks until there is an entry; 0 after wake().
    outcome<size_t> wait(completion *entries, size_t capacity) const {
        size_t count = 0;
        const gs_status_t status = gs_queue_wait(get(), entries, capacity, -1, &count);
        return detail::value(status, count);
    }
    /// At most for `limit`; also 0 if that passed.
    template <typename Rep, typename Period>
    outcome<size_t> wait_for(completion *entries, size_t capacity, std::chrono::duration<Rep, Period> limit) const {
        size_t count = 0;
        const gs_status_t status = gs_queue_wait(get(), entries, capacity, detail::limit_ns(limit), &count);
        return detail::value(status == GS_ERROR_TIMEOUT ? GS_OK : status, count);
    }
    /// A descriptor for poll() and epoll, readable while there are entries; the queue's, not the caller's.
    outcome<int> fd() const {
        int32_t number = -1;
        const gs_status_t status = gs_queue_fd(get(), &number);
        return detail::value(status, static_cast<int>(number));
    }
};

class queue : public detail::owner<queue_ref, gs_queue_t, gs_queue_destroy> {
public:
    using owner::owner;
    /// For at most `capacity` undelivered entries.
    static outcome<queue> create(uint32_t capacity) {
        gs_queue_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_queue_create, capacity, 0, &handle);
        return detail::value(status, queue(handle));
    }
    /// Another reference to the same queue.
    static outcome<queue> retain(queue_ref other) {
        const gs_status_t status = detail::with_abi(gs_queue_retain, other.get());
        return detail::value(status, queue(status == GS_OK ? other.get() : nullptr));
    }
};

/// Some events for one call, which takes none that has a name: its list in braces would have ended. Name a vector instead.
class events {
public:
    events(std::initializer_list<event_ref> list) noexcept : events(list.begin(), list.size()) {}
    /// Of event_ref, event or timed_event.
    template <typename Event, typename = std::enable_if_t<std::is_base_of_v<event_ref, Event>>>
    events(const std::vector<Event> &list) noexcept : events(list.data(), list.size()) {
        static_assert(sizeof(Event) == sizeof(event_ref), "an owner is its handle");
    }
    events(const event_ref *first, size_t count) noexcept
        : first_(reinterpret_cast<const gs_event_t *>(first)), count_(count) {
        static_assert(sizeof(event_ref) == sizeof(gs_event_t) && std::is_standard_layout_v<event_ref>,
                      "a reference is its handle");
    }
    const gs_event_t *data() const noexcept { return first_; }
    size_t size() const noexcept { return count_; }

private:
    const gs_event_t *first_;
    size_t count_;
};

/// Blocks until one of the events is complete and returns its index.
inline outcome<size_t> wait_any(events &&list) {
    size_t index = 0;
    const gs_status_t status = gs_event_synchronize_any(list.data(), list.size(), -1, &index);
    return detail::value(status, index);
}
/// At most for `limit`; the number of events if that passed.
template <typename Rep, typename Period>
outcome<size_t> wait_any_for(events &&list, std::chrono::duration<Rep, Period> limit) {
    size_t index = 0;
    const gs_status_t status = gs_event_synchronize_any(list.data(), list.size(), detail::limit_ns(limit), &index);
    const bool over = status == GS_ERROR_TIMEOUT;
    return detail::value(over ? GS_OK : status, over ? list.size() : index);
}
/// Blocks until all are complete.
inline outcome<void> wait_all(events &&list) {
    return detail::done(gs_event_synchronize_all(list.data(), list.size(), -1));
}
/// At most for `limit`; false if that passed.
template <typename Rep, typename Period>
[[nodiscard]] outcome<bool> wait_all_for(events &&list, std::chrono::duration<Rep, Period> limit) {
    return detail::in_time(gs_event_synchronize_all(list.data(), list.size(), detail::limit_ns(limit)));
}

GPUSTREAM_END_NAMESPACE
