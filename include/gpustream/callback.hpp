// SPDX-License-Identifier: Apache-2.0
// Functions of C++ on the library's threads: what carries them there, and what becomes of an exception in them.
#pragma once

#include <atomic>
#include <cstdio>
#include <memory>
#include <new>
#include <type_traits>

#include "result.hpp"

namespace gpustream {

/// Called with an exception that left a function which ran on a thread of the library, where no caller could catch it.
/// `place` names the kind of function. It must not throw; null is the default, which writes one line to stderr.
using callback_failure_handler = void (*)(const char *place, std::exception_ptr failure);

/// One for all forms of the layer (config.hpp). It is no part of `detail`, which each form has for itself: a `namespace
/// detail` here would be that of the form whose headers were read before.
namespace process_wide {
inline std::atomic<callback_failure_handler> &failure_handler() noexcept {
    static std::atomic<callback_failure_handler> handler{nullptr};
    return handler;
}
} // namespace process_wide

/// Sets the handler of the process and returns the one before.
inline callback_failure_handler set_callback_failure_handler(callback_failure_handler handler) noexcept {
    return process_wide::failure_handler().exchange(handler);
}

} // namespace gpustream

GPUSTREAM_BEGIN_NAMESPACE
namespace detail {

inline void report_failure(const char *place, std::exception_ptr failure) noexcept {
    if (const callback_failure_handler handler = process_wide::failure_handler().load())
        return handler(place, std::move(failure));
#ifdef __cpp_exceptions
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception &thrown) {
        std::fprintf(stderr, "gpustream: an exception left a %s: %s\n", place, thrown.what());
    } catch (...) {
        std::fprintf(stderr, "gpustream: an exception left a %s\n", place);
    }
#endif
}

/// Calls a function of the caller; nothing leaves it. False if it threw.
template <typename Function, typename... Arguments>
bool contained(const char *place, Function &function, Arguments &&...arguments) noexcept {
#ifdef __cpp_exceptions
    try {
        function(std::forward<Arguments>(arguments)...);
    } catch (...) {
        report_failure(place, std::current_exception());
        return false;
    }
#else
    static_cast<void>(place);
    function(std::forward<Arguments>(arguments)...);
#endif
    return true;
}

/// A function on the heap, which C code refers to by one pointer.
template <typename Function>
struct box {
    Function function;

    static void once(const char *place, void *arg) {
        const std::unique_ptr<box> self(static_cast<box *>(arg));
        contained(place, self->function);
    }
    static void run_once(void *arg) { once("host function", arg); }
    static void run_deferred(void *arg) { once("deferred function", arg); }
    static void release(void *arg) { once("release function", arg); }
    static void run(void *arg) { contained("host function", static_cast<box *>(arg)->function); }
    static void discard(void *arg) { delete static_cast<box *>(arg); }
    static void notify_once(void *arg, gs_status_t status) {
        const std::unique_ptr<box> self(static_cast<box *>(arg));
        contained("notification", self->function, static_cast<gpustream::status>(status));
    }
    static gs_status_t start_once(void *arg) {
        const std::unique_ptr<box> self(static_cast<box *>(arg));
        return contained("start function", self->function) ? GS_OK : GS_ERROR_INTERNAL;
    }
};

template <typename Function>
box<std::decay_t<Function>> *boxed(Function &&function) {
    return new (std::nothrow) box<std::decay_t<Function>>{std::forward<Function>(function)};
}

/// Hands a boxed function over: `submit(box)` returns the status, and the box is deleted here only if that is a failure.
template <typename Function, typename Submit>
gs_status_t hand_over(Function &&function, Submit submit) {
    auto *made = boxed(std::forward<Function>(function));
    if (made == nullptr) return no_memory;
    const gs_status_t status = submit(made);
    if (status != GS_OK) delete made;
    return status;
}

} // namespace detail
GPUSTREAM_END_NAMESPACE
