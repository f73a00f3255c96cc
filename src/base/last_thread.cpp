// SPDX-License-Identifier: Apache-2.0
// A thread is started for this when the main thread ends, so a process whose main thread lives or returns has
// none. It stands in for the main thread. It looks at /proc/self/status at growing intervals, and calls exit(0) when
// only threads of the library are left and their work is done. It also takes the signals that would have ended the
// process before.
//
// The library learns of the main thread's end only if that thread has called it. Else that thread is started when
// the last thread that did call it ends, and waits for the main thread's end in the same way.
#include "base/last_thread.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "base/os_thread.hpp"
#include "base/thread_block.hpp"

namespace gs {
namespace {

constexpr uint64_t kFirstNapNs = 1'000'000;
constexpr uint64_t kLongestNapNs = 500'000'000;           // the main thread has ended
constexpr uint64_t kLongestNapOfUnseenNs = 8'000'000'000; // it has not

std::atomic<Service *> g_services{nullptr};
std::atomic<bool> g_started{false};

struct MainThread {
    bool ended = false;
    uint64_t threads = 0; // of the process, the main thread included
    uint64_t blocked = 0; // the main thread's signal mask; bit 0 is signal 1
};

// The number behind a label at the start of a line.
bool number_after(const char *text, const char *label, int base, uint64_t *out) noexcept {
    const char *found = std::strstr(text, label);
    if (!found) return false; // one-sided: the kernel writes the file so
    char *end = nullptr;
    const char *digits = found + std::strlen(label);
    *out = std::strtoull(digits, &end, base);
    return end != digits;
}

// /proc/self/status describes the main thread, also when it has ended.
bool read_main_thread(MainThread *out) noexcept {
    const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false; // one-sided: every Linux has /proc
    char text[16384];         // the list of groups can be long
    size_t size = 0;
    ssize_t got;
    while (size < sizeof text - 1 && (got = read(fd, text + size, sizeof text - 1 - size)) != 0) {
        if (got < 0 && errno != EINTR) break;          // one-sided: reading this file does not fail
        if (got > 0) size += static_cast<size_t>(got); // one-sided: reading this file does not fail
    }
    close(fd);
    text[size] = '\0';
    const char *state = std::strstr(text, "\nState:\t");
    if (!state) return false; // one-sided: the kernel writes the file so
    out->ended = state[8] == 'Z' || state[8] == 'X';
    // one-sided: the kernel writes the file so
    if (!number_after(text, "\nThreads:\t", 10, &out->threads)) return false;
    if (!number_after(text, "\nSigBlk:\t", 16, &out->blocked)) return false; // one-sided: the kernel writes the file so
    if (main_thread_call() == MainThreadCall::Ended) out->blocked = main_thread_mask();
    return true;
}

bool all_idle(uint64_t *turns) noexcept {
    *turns = 0;
    for (Service *service = g_services.load(std::memory_order_acquire); service; service = service->next) {
        uint64_t own = 0;
        if (!service->idle(service->owner, &own)) return false;
        *turns += own;
    }
    return true;
}

// Returns true if nothing can happen in the process any more. A function on a thread of the library could start
// threads, and a thread of the program could enqueue such a function and end. So the threads are counted at a time at
// which all services were idle, before the count and after it, without a turn in between.
bool nothing_left(MainThread *main) noexcept {
    uint64_t before = 0, after = 0;
    if (!all_idle(&before)) return false;
    if (!read_main_thread(main) || main->threads != running_threads() + 1u) return false;
    return all_idle(&after) && after == before;
}

constexpr int kEndingSignals[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGABRT, SIGALRM, SIGTERM, SIGUSR1,
                                  SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,   SIGPWR};

bool has_default_action(int signal) noexcept {
    struct sigaction action{};
    return sigaction(signal, nullptr, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
}

// The signals that would have ended the process while its main thread lived. A program that reads a signal from a
// descriptor or by sigwait() blocked it in the main thread.
sigset_t signals_to_take(const MainThread &main) noexcept {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kEndingSignals)
        if (!(main.blocked >> (signal - 1) & 1) && has_default_action(signal)) sigaddset(&set, signal);
    return set;
}

// The signals stay blocked on this thread, so that no handler of the application can run here.
void nap(const sigset_t &taken, uint64_t ns) noexcept {
    const timespec limit{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    siginfo_t info{};
    const int signal = sigtimedwait(&taken, &info, &limit);
    if (signal <= 0) return;
    if (!has_default_action(signal)) { // a handler was installed during the nap
        // The kernel lets only the main thread repeat what kill() sent, with its sender.
        // one-sided: only the main thread may repeat a signal
        if (syscall(SYS_rt_sigqueueinfo, getpid(), signal, &info) != 0) kill(getpid(), signal);
        return;
    }
    sigset_t one;            // not reached: the process ends by the signal before gcov writes its counters
    sigemptyset(&one);       // not reached: the process ends by the signal before gcov writes its counters
    sigaddset(&one, signal); // not reached: the process ends by the signal before gcov writes its counters
    raise(signal);           // not reached: the process ends by the signal before gcov writes its counters
    // not reached: the process ends by the signal before gcov writes its counters
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr); // ends the process
    // not reached: the process ends by the signal before gcov writes its counters
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
}

// The application's exit handlers run here, as on any thread that calls exit(), with the signals that they expect.
[[noreturn]] void end_process(const MainThread &main) noexcept {
    sigset_t mask;
    sigemptyset(&mask);
    for (int signal = 1; signal <= 64; ++signal)
        if (main.blocked >> (signal - 1) & 1) sigaddset(&mask, signal);
    pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    std::exit(0);
}

void stand_in(void *) {
    uint64_t nap_ns = kFirstNapNs;
    sigset_t none;
    sigemptyset(&none);
    bool ended = false;
    for (;;) {
        MainThread main;
        if (!read_main_thread(&main)) { // one-sided: every Linux has /proc
            log_message(GS_LOG_WARNING, "cannot read /proc/self/status: the process may stay after "
                                        "pthread_exit() of its main thread");
            return;
        }
        if (main.ended && !ended) nap_ns = kFirstNapNs;
        ended = main.ended;
        if (ended && nothing_left(&main)) end_process(main);
        nap(ended ? signals_to_take(main) : none, nap_ns);
        const uint64_t longest = ended ? kLongestNapNs : kLongestNapOfUnseenNs;
        nap_ns = nap_ns * 2 < longest ? nap_ns * 2 : longest;
    }
}

void start_stand_in() noexcept {
    if (g_started.exchange(true, std::memory_order_acq_rel)) return;
    const Status status = start_thread("gs-last-thread", stand_in, nullptr);
    if (status.ok()) return;
    g_started.store(false, std::memory_order_release); // the next thread that ends tries again
    log_message(GS_LOG_WARNING, "no thread can be started: the process may stay after pthread_exit() of its "
                                "main thread");
}

void on_thread_exit(ThreadBlock &) noexcept {
    const MainThreadCall seen = main_thread_call();
    if (seen == MainThreadCall::Ended || (seen == MainThreadCall::None && attached_threads() == 0)) start_stand_in();
}

} // namespace

Status add_service(Service &service) noexcept {
    if (service.listed) return kOk;
    // one-sided: the table has room for all hooks
    if (!add_thread_exit_hook(on_thread_exit)) return fail(GS_ERROR_INTERNAL, "too many thread exit hooks");
    service.next = g_services.load(std::memory_order_relaxed);
    // one-sided: repeated only when two start at once
    while (!g_services.compare_exchange_weak(service.next, &service, std::memory_order_acq_rel)) {}
    service.listed = true;
    if (main_thread_call() == MainThreadCall::Ended) start_stand_in();
    return kOk;
}

Status ServiceThread::start() noexcept {
    LaterMessages later;
    MutexLock lock(mutex_);
    if (started_.load(std::memory_order_relaxed)) return kOk;
    GS_TRY(add_service(service_));
    GS_TRY(start_thread(name_, run_, service_.owner));
    started_.store(true, std::memory_order_release);
    return kOk;
}

} // namespace gs
