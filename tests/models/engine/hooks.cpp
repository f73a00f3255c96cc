// SPDX-License-Identifier: Apache-2.0
// The functions that code compiled with -fsanitize=thread calls, in place of the sanitizer's own, and the calls of the
// library that order memory: each is an access of the model that runs. Outside of models they do what they say.
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstring>

#include "models/engine/runner.hpp"

extern "C" {
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_sched_yield(void);
long __real_syscall(long number, ...);
}

namespace gs::models {
namespace {

uintptr_t address_of(const volatile void *object) noexcept { return reinterpret_cast<uintptr_t>(object); }

struct Site {
    const char *doing;
    int written; // the order in the source
    const void *code;
};

// True: the access is the model's, and it is the thread's turn. order: as it is, or weakened.
bool modelled(Kind kind, const volatile void *object, const Site &site, int order) noexcept {
    if (!in_model() || !is_shared(address_of(object), kind != Kind::Read)) return false;
    note_site(site.doing, site.written, site.code);
    await_turn({kind, address_of(object), order == __ATOMIC_SEQ_CST});
    return true;
}

template <typename T>
T load(const volatile T *object, int order, const void *code) noexcept {
    const Site site{"load", order, code};
    if (in_model()) order = order_of(order, code);
    if (!modelled(Kind::Read, object, site, order)) return __atomic_load_n(object, __ATOMIC_SEQ_CST);
    const uint64_t value = memory().load(current(), address_of(object), sizeof(T), order);
    trace("load", address_of(object), value, order, code);
    return static_cast<T>(value);
}

template <typename T>
void store(volatile T *object, T value, int order, const void *code) noexcept {
    const Site site{"store", order, code};
    if (in_model()) order = order_of(order, code);
    if (!modelled(Kind::Write, object, site, order)) return __atomic_store_n(object, value, __ATOMIC_SEQ_CST);
    memory().store(current(), address_of(object), sizeof(T), static_cast<uint64_t>(value), order);
    trace("store", address_of(object), static_cast<uint64_t>(value), order, code);
}

template <typename T, typename Changed>
T update(const char *doing, volatile T *object, int order, const void *code, Changed changed) noexcept {
    const Site site{doing, order, code};
    if (in_model()) order = order_of(order, code);
    if (!modelled(Kind::Update, object, site, order)) {
        const T before = __atomic_load_n(object, __ATOMIC_SEQ_CST); // no other thread uses it
        __atomic_store_n(object, changed(before), __ATOMIC_SEQ_CST);
        return before;
    }
    const uint64_t before = memory().update(current(), address_of(object), sizeof(T), order, [&](uint64_t value) {
        return static_cast<uint64_t>(changed(static_cast<T>(value)));
    });
    trace(doing, address_of(object), static_cast<uint64_t>(changed(static_cast<T>(before))), order, code);
    return static_cast<T>(before);
}

template <typename T>
int compare_exchange(volatile T *object, T *expected, T value, int success, int failure, const void *code) noexcept {
    const int written = success;
    if (in_model()) {
        success = order_of(success, code);
        if (success != written && failure != __ATOMIC_RELAXED) // a failure is not stronger than a success
            failure = success == __ATOMIC_ACQ_REL || success == __ATOMIC_ACQUIRE ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED;
    }
    if (!modelled(Kind::Update, object, {"compare_exchange", written, code}, success))
        return __atomic_compare_exchange_n(object, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    uint64_t wanted = static_cast<uint64_t>(*expected);
    const bool done = memory().compare_exchange(current(), address_of(object), sizeof(T), &wanted,
                                                static_cast<uint64_t>(value), success, failure);
    if (!done) *expected = static_cast<T>(wanted);
    trace(done ? "exchanges" : "finds", address_of(object), done ? static_cast<uint64_t>(value) : wanted, success,
          code);
    return done ? 1 : 0;
}

void plain(const volatile void *address, size_t size, bool write) noexcept {
    if (!in_model()) return;
    const std::string race = memory().plain(current(), address_of(address), size, write);
    if (!race.empty()) fail_run(race);
}

void fence(int order, const void *code) noexcept {
    if (!in_model()) return std::atomic_thread_fence(std::memory_order_seq_cst);
    note_site("fence", order, code);
    order = order_of(order, code);
    if (order == __ATOMIC_SEQ_CST) await_turn({Kind::Fence, 0, true}); // others act on its thread alone
    memory().fence(current(), order);
    trace("fence", 0, 0, order, code);
}

} // namespace
} // namespace gs::models

using namespace gs::models;

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
    GS_FETCH(bits, add, before + value)                                                                                \
    GS_FETCH(bits, sub, before - value)                                                                                \
    GS_FETCH(bits, and, before &value)                                                                                 \
    GS_FETCH(bits, or, before | value)                                                                                 \
    GS_FETCH(bits, xor, before ^ value)                                                                                \
    GS_FETCH(bits, nand, ~(before & value))                                                                            \
    uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *object, uint##bits##_t value, int order) {  \
        return update("exchange", object, order, GS_CALLER, [=](uint##bits##_t) { return value; });                    \
    }                                                                                                                  \
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

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (!in_model()) return __real_pthread_mutex_lock(mutex);
    await_turn({Kind::Lock, address_of(mutex), false});
    memory().lock(current(), address_of(mutex));
    trace("lock", address_of(mutex), 0, 0, GS_CALLER);
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (!in_model()) return __real_pthread_mutex_unlock(mutex);
    await_turn({Kind::Unlock, address_of(mutex), false});
    memory().unlock(current(), address_of(mutex));
    trace("unlock", address_of(mutex), 0, 0, GS_CALLER);
    return 0;
}

int __wrap_sched_yield(void) {
    if (!in_model()) return __real_sched_yield();
    await_turn({Kind::Yield, 0, false});
    memory().see_newest(current());
    trace("yield", 0, 0, 0, GS_CALLER);
    return 0;
}

long __wrap_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (long &argument : a) argument = va_arg(list, long);
    va_end(list);
    if (in_model() && number == SYS_membarrier) {
        await_turn({Kind::FenceAll, 0, true});
        memory().fence_all(current());
        trace("membarrier", 0, 0, 0, GS_CALLER);
        return 0;
    }
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

} // extern "C"
