// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/shared_order.hpp"

#include <algorithm>

#include "core/timeline/timeline_bugs.hpp"

namespace gs {
namespace {

constexpr int kMemberBits = 8;
constexpr uint64_t kMemberMask = (uint64_t{1} << kMemberBits) - 1;
constexpr uint64_t kFarthestBehind = UINT64_MAX >> kMemberBits;

using PrintedNumber = unsigned long long;

// A copy of the present table.
struct OrderCopy {
    struct Signal {
        uint64_t value, behind; // behind 0: its stream waits for none below it
        uint32_t member;
    };
    uint64_t present = 0;
    uint64_t floor = 0;
    uint32_t count = 0;
    Signal signals[kSharedSignals];

    void remove(uint32_t place) noexcept {
        --count;
        for (uint32_t i = place; i < count; ++i) signals[i] = signals[i + 1];
    }
    void insert(uint32_t place, const Signal &signal) noexcept {
        for (uint32_t i = count; i > place; --i) signals[i] = signals[i - 1];
        signals[place] = signal;
        ++count;
    }
    void drop_below(uint64_t reached) noexcept {
        while (count != 0 && signals[0].value <= reached) remove(0);
    }
    uint32_t place_of(uint64_t value) const noexcept {
        uint32_t place = 0;
        while (place < count && signals[place].value < value) ++place;
        return place;
    }
};

uint64_t value_of(const TimelineShared &shared) noexcept { return __atomic_load_n(&shared.word, __ATOMIC_ACQUIRE); }

// Numbers in the memory may be anything: another process of the user may have written them.
void copy_table(const TimelineShared &shared, OrderCopy *out) noexcept {
    for (;;) {
        out->present = shared.present.load(std::memory_order_acquire);
        const SignalTable &table = shared.tables[out->present % (2 * kTimelineMembers)];
        out->floor = table.floor.load(std::memory_order_acquire);
        out->count =
            static_cast<uint32_t>(std::min<uint64_t>(table.count.load(std::memory_order_acquire), kSharedSignals));
        for (uint32_t i = 0; i < out->count; ++i) {
            const uint64_t value = table.signals[i].value.load(std::memory_order_acquire);
            const uint64_t origin = table.signals[i].origin.load(std::memory_order_acquire);
            const uint64_t below = origin >> kMemberBits;
            out->signals[i] = {value, below != 0 && below < value ? value - below : 0,
                               static_cast<uint32_t>(origin & kMemberMask) % kTimelineMembers};
        }
        if (shared.present.load(std::memory_order_relaxed) == out->present || GS_TIMELINE_BUG(TrustTornTable)) return;
    }
}

// False: another member was faster.
bool publish_table(TimelineShared &shared, uint32_t member, const OrderCopy &copy) noexcept {
    const uint64_t first = 2 * uint64_t{member};
    const bool use_other = copy.present % (2 * kTimelineMembers) == first && !GS_TIMELINE_BUG(WriteOneTable);
    const uint64_t mine = use_other ? first + 1 : first;
    SignalTable &table = shared.tables[mine];
    table.floor.store(copy.floor, std::memory_order_release);
    table.count.store(copy.count, std::memory_order_release);
    for (uint32_t i = 0; i < copy.count; ++i) {
        const OrderCopy::Signal &signal = copy.signals[i];
        const uint64_t below = signal.behind == 0 ? 0 : signal.value - signal.behind;
        table.signals[i].value.store(signal.value, std::memory_order_release);
        table.signals[i].origin.store((below > kFarthestBehind ? 0 : below) << kMemberBits | signal.member,
                                      std::memory_order_release);
    }
    uint64_t seen = copy.present;
    const uint64_t next = ((seen >> kMemberBits) + 1) << kMemberBits | mine;
    return shared.present.compare_exchange_strong(seen, next, std::memory_order_seq_cst);
}

Status check_above(const OrderCopy &order, uint64_t now, uint64_t value) noexcept {
    const uint64_t reached = std::max(now, order.floor);
    if (value > reached) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "the timeline is at %llu already: %llu is not above it",
                static_cast<PrintedNumber>(reached), static_cast<PrintedNumber>(value));
}

Status check_place(const OrderCopy &order, uint32_t place, uint64_t value) noexcept {
    for (uint32_t i = place; i < order.count; ++i) {
        const OrderCopy::Signal &signal = order.signals[i];
        if (signal.value == value)
            return fail(GS_ERROR_INVALID_ARGUMENT, "a signal of %llu is submitted already",
                        static_cast<PrintedNumber>(value));
        if (signal.behind < value)
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "a signal of %llu is submitted to a stream that does not wait for %llu first, perhaps in "
                        "another process: it could happen before this one",
                        static_cast<PrintedNumber>(signal.value), static_cast<PrintedNumber>(value));
    }
    return kOk;
}

// The last place is for what comes before all others.
uint32_t room_at(uint32_t place, uint32_t count) noexcept {
    if (place == count && count != 0) return kSharedSignalsAhead;
    return place == 0 ? kSharedSignals : kSharedSignals - 1;
}

} // namespace

Status claim_signal(TimelineShared &shared, uint32_t member, uint64_t value, uint64_t behind,
                    SignalBefore *out_before) noexcept {
    OrderCopy order;
    do {
        copy_table(shared, &order);
        const uint64_t now = value_of(shared);
        order.drop_below(now);
        GS_TRY(check_above(order, now, value));
        const uint32_t place = order.place_of(value);
        GS_TRY(check_place(order, place, value));
        if (order.count >= room_at(place, order.count))
            return fail(GS_ERROR_FULL, "%u signals of the timeline are submitted and have not happened", order.count);
        *out_before = {};
        if (place != 0) *out_before = {order.signals[place - 1].value, order.signals[place - 1].member};
        order.insert(place, {value, behind < value ? behind : value - 1, member});
    } while (!publish_table(shared, member, order));
    return kOk;
}

bool unclaim_signal(TimelineShared &shared, uint32_t member, uint64_t value) noexcept {
    OrderCopy order;
    bool waited_for = false;
    do {
        copy_table(shared, &order);
        const uint32_t place = order.place_of(value);
        if (place == order.count || order.signals[place].value != value) return false;
        waited_for = place + 1 < order.count;
        order.remove(place);
    } while (!publish_table(shared, member, order));
    return waited_for;
}

Status claim_for_thread(TimelineShared &shared, uint32_t member, uint64_t value) noexcept {
    OrderCopy order;
    do {
        copy_table(shared, &order);
        const uint64_t now = value_of(shared);
        order.drop_below(now);
        GS_TRY(check_above(order, now, value));
        if (order.count != 0 && order.signals[0].value <= value)
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "a signal of %llu is submitted to a stream, perhaps of another process, and has not happened: "
                        "%llu would overtake it",
                        static_cast<PrintedNumber>(order.signals[0].value), static_cast<PrintedNumber>(value));
        if (!GS_TIMELINE_BUG(ForgetFloor)) order.floor = value;
    } while (!publish_table(shared, member, order));
    return kOk;
}

} // namespace gs
