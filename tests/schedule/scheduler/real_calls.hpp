// SPDX-License-Identifier: Apache-2.0
// The calls that the linker's --wrap takes from the library, as the system has them.
#pragma once

#include <pthread.h>
#include <time.h>

extern "C" {
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *arg);
int __real_pthread_join(pthread_t thread, void **out);
int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_sched_yield(void);
int __real_nanosleep(const struct timespec *duration, struct timespec *left);
int __real_clock_gettime(clockid_t clock, struct timespec *out);
long __real_syscall(long number, ...);
}

namespace gs::schedule {

template <typename... Arguments>
long real_syscall(long number, Arguments... arguments) noexcept {
    return __real_syscall(number, arguments...);
}
inline int real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *arg) {
    return __real_pthread_create(thread, attributes, entry, arg);
}

} // namespace gs::schedule
