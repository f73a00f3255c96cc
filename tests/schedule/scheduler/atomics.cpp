// SPDX-License-Identifier: Apache-2.0
// The functions that code compiled with -fsanitize=thread calls, in place of the sanitizer's own: each atomic operation
// is a point of the scheduler. Operations are sequentially consistent, or, when stores are buffered, those of x86: a
// store that is not seq_cst stays in the thread's buffer, and what x86 compiles to a locked instruction empties it.
#include <atomic>
#include <cstdint>
#include <cstring>

#include "schedule/scheduler/scheduler.hpp"

namespace gs::schedule {
namespace {

template <typename T>
uintptr_t address_of(const volatile T *object) noexcept {
    return reinterpret_cast<uintptr_t>(object);
}

// Memory that is not atomic is read and written at once. What this thread has buffered for it comes first.
void plain(const void *address, size_t size) noexcept {
    if (Thread *me = self(); me && !me->stores.empty() && me->stores.holds(reinterpret_cast<uintptr_t>(address), size))
        me->stores.drain();
}

template <typename T>
T load(const volatile T *object, const void *code) noexcept {
    if (self()) {
        if (access("load", address_of(object), false, code)) self()->stores.note_read();
        uint64_t own = 0;
        if (self()->stores.read(address_of(object), &own)) return static_cast<T>(own);
    }
    return __atomic_load_n(object, __ATOMIC_SEQ_CST);
}

template <typename T>
void store(volatile T *object, T value, int order, const void *code) noexcept {
    if (self()) {
        const bool shared = access("store", address_of(object), true, code);
        if (settings().buffer_stores && order != __ATOMIC_SEQ_CST) {
            // No thread sees when a store to memory that other threads never touch leaves the buffer.
            if (shared) return self()->stores.push(address_of(object), sizeof(T), static_cast<uint64_t>(value));
            plain(const_cast<const T *>(object), sizeof(T));
        } else {
            self()->stores.drain();
        }
    }
    __atomic_store_n(object, value, __ATOMIC_SEQ_CST);
}

// Ahead of a locked instruction.
template <typename T>
void lock_bus(const char *doing, volatile T *object, const void *code) noexcept {
    if (!self()) return;
    access(doing, address_of(object), true, code);
    self()->stores.drain();
}

} // namespace
} // namespace gs::schedule

using namespace gs::schedule;

#define GS_CALLER __builtin_return_address(0)

#define GS_FETCH(bits, name)                                                                                           \
    uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile uint##bits##_t *object, uint##bits##_t value, int) {    \
        lock_bus("fetch_" #name, object, GS_CALLER);                                                                   \
        return __atomic_fetch_##name(object, value, __ATOMIC_SEQ_CST);                                                 \
    }

#define GS_COMPARE(bits, kind)                                                                                         \
    int __tsan_atomic##bits##_compare_exchange_##kind(volatile uint##bits##_t *object, uint##bits##_t *expected,       \
                                                      uint##bits##_t value, int, int) {                                \
        lock_bus("compare_exchange", object, GS_CALLER);                                                               \
        return __atomic_compare_exchange_n(object, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
    }

#define GS_ATOMICS(bits)                                                                                               \
    uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *object, int) {                            \
        return load(object, GS_CALLER);                                                                                \
    }                                                                                                                  \
    void __tsan_atomic##bits##_store(volatile uint##bits##_t *object, uint##bits##_t value, int order) {               \
        store(object, value, order, GS_CALLER);                                                                        \
    }                                                                                                                  \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *object, uint##bits##_t value, int) {        \
        lock_bus("exchange", object, GS_CALLER);                                                                       \
        return __atomic_exchange_n(object, value, __ATOMIC_SEQ_CST);                                                   \
    }                                                                                                                  \
    GS_FETCH(bits, add)                                                                                                \
    GS_FETCH(bits, sub)                                                                                                \
    GS_FETCH(bits, and)                                                                                                \
    GS_FETCH(bits, or) GS_FETCH(bits, xor) GS_FETCH(bits, nand) GS_COMPARE(bits, strong) GS_COMPARE(bits, weak)

#define GS_PLAIN(bytes)                                                                                                \
    void __tsan_read##bytes(void *address) { plain(address, bytes); }                                                  \
    void __tsan_write##bytes(void *address) { plain(address, bytes); }                                                 \
    void __tsan_unaligned_read##bytes(void *address) { plain(address, bytes); }                                        \
    void __tsan_unaligned_write##bytes(void *address) { plain(address, bytes); }

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

void __tsan_read_range(void *address, unsigned long size) { plain(address, size); }
void __tsan_write_range(void *address, unsigned long size) { plain(address, size); }
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_init(void) {}

void __tsan_atomic_thread_fence(int order) {
    if (self() && order == __ATOMIC_SEQ_CST) self()->stores.drain();
}
void __tsan_atomic_signal_fence(int) {}

} // extern "C"
