// SPDX-License-Identifier: Apache-2.0
// The library's blocking calls under the scheduler. A lock is never really taken: since one thread runs at a time, it is
// enough to remember who has it.
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <unordered_map>

#include "schedule/scheduler/memory.hpp"
#include "schedule/scheduler/real_calls.hpp"
#include "schedule/scheduler/scheduler.hpp"
#include "schedule/scheduler/weak.hpp"

namespace gs::schedule {
namespace {

#define GS_CALLER __builtin_return_address(0)

std::unordered_map<uintptr_t, int> &owners() { // of mutexes that are locked
    static auto *const immortal = new std::unordered_map<uintptr_t, int>;
    return *immortal;
}

void take(Thread &me, uintptr_t mutex, const void *code) {
    owners()[mutex] = me.id;
    if (settings().lock_points) access("locked", kAlwaysShared, true, code);
    if (Memory *memory = settings().memory) {
        memory->lock(me.id, mutex);
        note_step(me.id, "lock", mutex, 0, 0, code);
    }
}

uint64_t limit_of(const timespec *relative) {
    if (!relative) return 0;
    return now_ns() + static_cast<uint64_t>(relative->tv_sec) * 1'000'000'000u +
           static_cast<uint64_t>(relative->tv_nsec);
}

long futex_call(uint32_t *word, int operation, uint32_t value, const timespec *limit, const void *code) {
    const auto object = reinterpret_cast<uintptr_t>(word);
    self()->stores.drain();
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAKE) {
        access("futex wake", object, true, code);
        return wake(object, static_cast<int>(value));
    }
    access("futex wait", object, false, code);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value) {
        errno = EAGAIN;
        return -1;
    }
    if (!block("futex wait", object, limit_of(limit), code)) return 0;
    errno = ETIMEDOUT;
    return -1;
}

// The key's destructor runs again as long as it sets the key, so its last run comes after those of the library's keys.
pthread_key_t g_end_key;
struct Ending {
    Thread *thread;
    int rounds = 0;
};
void on_end(void *opaque) {
    auto *ending = static_cast<Ending *>(opaque);
    if (++ending->rounds < 3) {
        pthread_setspecific(g_end_key, ending);
        return;
    }
    Thread *thread = ending->thread;
    delete ending;
    end_thread(*thread);
}

struct Start {
    Thread *thread;
    void *(*entry)(void *);
    void *arg;
};
void *run_thread(void *opaque) {
    const Start start = *static_cast<Start *>(opaque);
    delete static_cast<Start *>(opaque);
    pthread_setspecific(g_end_key, new Ending{start.thread});
    enter_thread(*start.thread);
    return start.entry(start.arg);
}

std::unordered_map<pthread_t, Thread *> &started() {
    static auto *const immortal = new std::unordered_map<pthread_t, Thread *>;
    return *immortal;
}

} // namespace
} // namespace gs::schedule

using namespace gs::schedule;

extern "C" {

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
    Thread *me = self();
    if (!me) return __real_pthread_mutex_lock(mutex);
    const auto object = reinterpret_cast<uintptr_t>(mutex);
    access("lock", object, true, GS_CALLER);
    me->stores.drain();
    while (owners().count(object) != 0) block("lock", object, 0, GS_CALLER);
    take(*me, object, GS_CALLER);
    return 0;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
    Thread *me = self();
    if (!me) return __real_pthread_mutex_trylock(mutex);
    const auto object = reinterpret_cast<uintptr_t>(mutex);
    access("trylock", object, true, GS_CALLER);
    me->stores.drain();
    if (owners().count(object) != 0) return EBUSY;
    take(*me, object, GS_CALLER);
    return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
    Thread *me = self();
    if (!me) return __real_pthread_mutex_unlock(mutex);
    const auto object = reinterpret_cast<uintptr_t>(mutex);
    if (settings().lock_points) access("unlock", kAlwaysShared, true, GS_CALLER);
    if (Memory *memory = settings().memory) {
        access("unlock", object, true, GS_CALLER);
        memory->unlock(me->id, object);
        note_step(me->id, "unlock", object, 0, 0, GS_CALLER);
    }
    me->stores.drain();
    owners().erase(object);
    wake(object, INT_MAX);
    return 0;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *arg) {
    if (!self()) return __real_pthread_create(thread, attributes, entry, arg);
    static const bool made = pthread_key_create(&g_end_key, on_end) == 0;
    if (!made) return EAGAIN;
    Thread *added = add_thread();
    added->state = State::Blocked; // until it exists
    const int error = __real_pthread_create(thread, attributes, run_thread, new Start{added, entry, arg});
    added->os = *thread;
    added->state = error == 0 ? State::Ready : State::Done;
    if (error == 0) started()[*thread] = added;
    access("starts a thread", reinterpret_cast<uintptr_t>(added), true, GS_CALLER);
    return error;
}

int __wrap_pthread_join(pthread_t thread, void **out) {
    if (!self() || started().count(thread) == 0) return __real_pthread_join(thread, out);
    Thread *other = started()[thread];
    while (other->state != State::Done) block("join", reinterpret_cast<uintptr_t>(other), 0, GS_CALLER);
    started().erase(thread);
    const int error = __real_pthread_join(thread, out);
    other->reusable = true;
    return error;
}

int __wrap_sched_yield(void) {
    if (!self()) return __real_sched_yield();
    yield(GS_CALLER);
    return 0;
}

int __wrap_nanosleep(const struct timespec *duration, struct timespec *left) {
    if (!self()) return __real_nanosleep(duration, left);
    block("sleeps", reinterpret_cast<uintptr_t>(duration), limit_of(duration), GS_CALLER);
    return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
    if (!self() || clock != CLOCK_MONOTONIC) return __real_clock_gettime(clock, out);
    const uint64_t now = now_ns();
    *out = {static_cast<time_t>(now / 1'000'000'000), static_cast<long>(now % 1'000'000'000)};
    return 0;
}

long __wrap_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (long &argument : a) argument = va_arg(list, long);
    va_end(list);
    if (self() && number == SYS_futex)
        return futex_call(reinterpret_cast<uint32_t *>(a[0]), static_cast<int>(a[1]), static_cast<uint32_t>(a[2]),
                          reinterpret_cast<const timespec *>(a[3]), GS_CALLER);
    if (self() && number == SYS_membarrier) {
        access("membarrier", kAlwaysShared, true, GS_CALLER);
        drain_all_stores();
        if (Memory *memory = settings().memory) {
            memory->fence_all(self()->id);
            note_step(self()->id, "membarrier", 0, 0, 0, GS_CALLER);
        }
        return 0;
    }
    return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

} // extern "C"
