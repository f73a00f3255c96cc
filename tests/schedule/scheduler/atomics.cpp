// SPDX-License-Identifier: Apache-2.0
// The functions that code compiled with -fsanitize=thread calls, in place of the sanitizer's own: each atomic operation
// is a point of the scheduler. By default, operations are sequentially consistent. When stores are buffered, they are
// those of x86: a store that is not seq_cst stays in the thread's buffer, and what x86 compiles to a locked instruction
// empties it. Under weak memory they have the orders of the source.
#include <atomic>
#include <cstdint>
#include <cstring>

#include "schedule/scheduler/explore.hpp"
#include "schedule/scheduler/memory.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "schedule/scheduler/weak.hpp"

namespace gs::schedule {
namespace {

// An operation on an object, whose turn has come.
struct Turn {
    template <typename T>
    Turn(const char *does, const volatile T *on, bool write, int its_order, const void *at)
        : doing(does), object(reinterpret_cast<uintptr_t>(on)), order(order_of(its_order, at)), code(at) {
        if (!thread) return;
        shared = access(doing, object, write, code, order == __ATOMIC_SEQ_CST);
        if (!shared || !settings().memory) return;
        memory = settings().memory;
        note_site(doing, order, code);
    }
    template <typename T>
    T note(const char *done, T value) const {
        note_step(thread->id, done, object, static_cast<uint64_t>(value), order, code);
        return value;
    }

    const char *doing;
    uintptr_t object;
    int order;
    const void *code;
    Thread *thread = self();
    bool shared = false;
    Memory *memory = nullptr; // nullptr: the real one
};

// Memory that is not atomic is read and written at once. What this thread has buffered for it comes first.
void plain(const void *address, size_t size, bool write) noexcept {
    Thread *me = self();
    if (!me) return;
    const auto object = reinterpret_cast<uintptr_t>(address);
    if (!me->stores.empty() && me->stores.holds(object, size)) me->stores.drain();
    if (Memory *memory = settings().memory)
        if (const std::string race = memory->plain(me->id, object, size, write); !race.empty()) require(false, race);
}

template <typename T>
T load(const volatile T *object, int order, const void *code) noexcept {
    const Turn turn("load", object, false, order, code);
    if (turn.memory)
        return turn.note("load",
                         static_cast<T>(turn.memory->load(turn.thread->id, turn.object, sizeof(T), turn.order)));
    if (turn.thread) {
        if (turn.shared) turn.thread->stores.note_read();
        uint64_t own = 0;
        if (turn.thread->stores.read(turn.object, &own)) return static_cast<T>(own);
    }
    return __atomic_load_n(object, __ATOMIC_SEQ_CST);
}

template <typename T>
void store(volatile T *object, T value, int order, const void *code) noexcept {
    const Turn turn("store", object, true, order, code);
    if (turn.memory) {
        turn.memory->store(turn.thread->id, turn.object, sizeof(T), static_cast<uint64_t>(value), turn.order);
        turn.note("store", value);
        return;
    }
    if (turn.thread) {
        if (settings().buffer_stores && order != __ATOMIC_SEQ_CST) {
            // Only the thread itself could see when a store to memory of its own leaves the buffer.
            if (turn.shared) return turn.thread->stores.push(turn.object, sizeof(T), static_cast<uint64_t>(value));
            plain(const_cast<const T *>(object), sizeof(T), true);
        } else {
            turn.thread->stores.drain();
        }
    }
    __atomic_store_n(object, value, __ATOMIC_SEQ_CST);
}

template <typename T, typename Changed>
T update(const char *doing, volatile T *object, int order, const void *code, Changed changed) noexcept {
    const Turn turn(doing, object, true, order, code);
    if (turn.memory) {
        const auto change = [&](uint64_t before) {
            return static_cast<uint64_t>(turn.note(doing, changed(static_cast<T>(before))));
        };
        return static_cast<T>(turn.memory->update(turn.thread->id, turn.object, sizeof(T), turn.order, change));
    }
    if (turn.thread) turn.thread->stores.drain(); // it is a locked instruction
    T before = __atomic_load_n(object, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(object, &before, changed(before), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return before;
}

template <typename T>
int compare_exchange(volatile T *object, T *expected, T value, int success, int failure, const void *code) noexcept {
    const Turn turn("compare_exchange", object, true, success, code);
    if (turn.memory) {
        if (turn.order != success && failure != __ATOMIC_RELAXED) // a failure is not stronger than a success
            failure =
                turn.order == __ATOMIC_ACQ_REL || turn.order == __ATOMIC_ACQUIRE ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
        uint64_t wanted = static_cast<uint64_t>(*expected);
        const bool done = turn.memory->compare_exchange(turn.thread->id, turn.object, sizeof(T), &wanted,
                                                        static_cast<uint64_t>(value), turn.order, failure);
        if (!done) *expected = static_cast<T>(wanted);
        turn.note(done ? "exchanges" : "finds", done ? value : *expected);
        return done ? 1 : 0;
    }
    if (turn.thread) turn.thread->stores.drain();
    return __atomic_compare_exchange_n(object, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void fence(int order, const void *code) noexcept {
    Thread *me = self();
    if (!me) return __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (order == __ATOMIC_SEQ_CST) me->stores.drain();
    Memory *memory = settings().memory;
    if (!memory) return;
    note_site("fence", order, code);
    order = order_of(order, code);
    if (order == __ATOMIC_SEQ_CST) access("fence", kFence, true, code, true); // others act on their thread alone
    memory->fence(me->id, order);
    note_step(me->id, "fence", 0, 0, order, code);
}

} // namespace
} // namespace gs::schedule

using namespace gs::schedule;

#define GS_CALLER __builtin_return_address(0)

#define GS_FETCH(bits, name, expression)                                                                               \
    uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile uint##bits##_t *object, uint##bits##_t value,           \
                                                      int order) {                                                     \
        return update("fetch_" #name, object, order, GS_CALLER,                                                        \
                      [=](uint##bits##_t before) { return static_cast<uint##bits##_t>(expression); });                 \
    }

#define GS_COMPARE(bits, kind)                                                                                         \
    int __tsan_atomic##bits##_compare_exchange_##kind(volatile uint##bits##_t *object, uint##bits##_t *expected,       \
                                                      uint##bits##_t value, int success, int failure) {                \
        return compare_exchange(object, expected, value, success, failure, GS_CALLER);                                 \
    }

#define GS_ATOMICS(bits)                                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *object, int order) {                      \
        return load(object, order, GS_CALLER);                                                                         \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *object, uint##bits##_t value, int order) {               \
        store(object, value, order, GS_CALLER);                                                                        \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *object, uint##bits##_t value, int order) {  \
        return update("exchange", object, order, GS_CALLER, [=](uint##bits##_t) { return value; });                    \
    }                                                                                                                  \
    GS_FETCH(bits, add, before + value)                                                                                \
    GS_FETCH(bits, sub, before - value)                                                                                \
    GS_FETCH(bits, and, before &value)                                                                                 \
    GS_FETCH(bits, or, before | value)                                                                                 \
    GS_FETCH(bits, xor, before ^ value)                                                                                \
    GS_FETCH(bits, nand, ~(before & value))                                                                            \
    GS_COMPARE(bits, strong)                                                                                           \
    GS_COMPARE(bits, weak)

#define GS_PLAIN(bytes)                                                                                                \
    void __tsan_read##bytes(void *address) { plain(address, bytes, false); }                                           \
    void __tsan_write##bytes(void *address) { plain(address, bytes, true); }                                           \
    void __tsan_unaligned_read##bytes(void *address) { plain(address, bytes, false); }                                 \
    void __tsan_unaligned_write##bytes(void *address) { plain(address, bytes, true); }

extern "C" {

GS_ATOMICS(8)
GS_ATOMICS(16)
GS_ATOMICS(32)
GS_ATOMICS(64)
GS_PLAIN(1)
GS_PLAIN(2)
GS_PLAIN(4)
GS_PLAIN(8)
GS_PLAIN(16)

void __tsan_read_range(void *address, unsigned long size) { plain(address, size, false); }
void __tsan_write_range(void *address, unsigned long size) { plain(address, size, true); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

void __tsan_atomic_thread_fence(int order) { fence(order, GS_CALLER); }
void __tsan_atomic_signal_fence(int) {}

} // extern "C"
