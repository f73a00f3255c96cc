// SPDX-License-Identifier: Apache-2.0
// The ordering checker, and threads that may not wait: docs/guide/debugging.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "stream.hpp"

GPUSTREAM_BEGIN_NAMESPACE

namespace check {

namespace detail {
/// A report function of the process. It is kept when another one replaces it, as a thread may still be inside it.
struct report_function {
    virtual ~report_function() = default;
    virtual void call(std::string_view text, std::string_view json) noexcept = 0;
    static void run(void *arg, const char *text, const char *json) {
        static_cast<report_function *>(arg)->call(text, json);
    }
    report_function *before = nullptr;
};
template <typename Function>
struct boxed_report final : report_function {
    explicit boxed_report(Function &&given) : function(std::move(given)) {}
    explicit boxed_report(const Function &given) : function(given) {}
    void call(std::string_view text, std::string_view json) noexcept override {
        gpustream::detail::contained("report function", function, text, json);
    }
    Function function;
};
inline std::atomic<report_function *> &kept_reports() noexcept {
    static std::atomic<report_function *> last{nullptr};
    return last;
}
} // namespace detail

/// gs_check_start(): turns the checker on, for the whole process.
inline outcome<void> start(check_flags flags = check_flags::none) {
    return gpustream::detail::done(gpustream::detail::with_abi(gs_check_start, static_cast<uint32_t>(flags)));
}
/// gs_check_stop(): turns it off; it forgets what it knows.
inline outcome<void> stop() { return gpustream::detail::done(gpustream::detail::with_abi(gs_check_stop)); }

/// gs_check_read(): the work submitted to the stream here reads these bytes. Call it beside the launch.
inline outcome<void> read(stream_ref stream, const void *address, size_t bytes, const char *label = nullptr) {
    return gpustream::detail::done(gs_check_read(stream.get(), address, bytes, label));
}
/// gs_check_write(): it writes them, and possibly reads them.
inline outcome<void> write(stream_ref stream, const void *address, size_t bytes, const char *label = nullptr) {
    return gpustream::detail::done(gs_check_write(stream.get(), address, bytes, label));
}

/// What threads that share a lock tell each other about completed work. It is guarded by that lock, or stands beside the
/// atomic variable.
class clock {
public:
    /// gs_check_handover(): the caller knows what earlier callers knew, and leaves what it knows.
    outcome<void> handover() { return gpustream::detail::done(gs_check_handover(&number_)); }

private:
    uint64_t number_ = 0;
};

/// gs_set_check_callback(): function(text, json) receives each report, as std::string_view that end with the call, on the
/// thread whose access completed the race. It may make only calls that are allowed in a host function; an exception in it
/// goes to set_callback_failure_handler(). It is kept until the process ends.
template <typename Function>
outcome<void> set_callback(Function &&function) {
    using boxed = detail::boxed_report<std::decay_t<Function>>;
    auto *made = new (std::nothrow) boxed(std::forward<Function>(function));
    if (made == nullptr) return gpustream::detail::done(gpustream::detail::no_memory);
    const gs_status_t status = gpustream::detail::with_abi(gs_set_check_callback, detail::report_function::run, made);
    if (status == GS_OK)
        made->before = detail::kept_reports().exchange(made);
    else
        delete made;
    return gpustream::detail::done(status);
}
/// Reports go to stderr, as at first.
inline outcome<void> set_callback(std::nullptr_t) {
    return gpustream::detail::done(gpustream::detail::with_abi(gs_set_check_callback, nullptr, nullptr));
}

} // namespace check

namespace detail {
/// The blocks of one thread that forbid waits.
struct forbidding {
    int32_t open = 0;
    int32_t before = 0; // what held before the first
};
inline forbidding &forbidding_here() noexcept {
    static thread_local forbidding here;
    return here;
}
} // namespace detail

/// gs_forbid_sync(): until the end of the block, calls of this thread that would wait for device work fail with
/// status::sync_forbidden and wait for nothing. It belongs to the thread that made it. Several may end in any order: the
/// last one allows waiting again. With GPUSTREAM_NOEXCEPT, status() says whether it began.
class forbid_sync {
public:
    GPUSTREAM_NAMED forbid_sync() {
        int32_t previous = 0;
        status_ = detail::with_abi(gs_forbid_sync, 1, &previous);
#if !GPUSTREAM_NOEXCEPT
        detail::done(status_);
#endif
        detail::forbidding &here = detail::forbidding_here();
        if (status_ == GS_OK && here.open++ == 0) here.before = previous;
    }
    ~forbid_sync() {
        detail::forbidding &here = detail::forbidding_here();
        int32_t ended = 0;
        if (status_ == GS_OK && --here.open == 0) static_cast<void>(gs_forbid_sync(here.before, &ended));
    }
    forbid_sync(const forbid_sync &) = delete;
    forbid_sync &operator=(const forbid_sync &) = delete;

    gpustream::status status() const noexcept { return static_cast<gpustream::status>(status_); }

private:
    gs_status_t status_;
};

GPUSTREAM_END_NAMESPACE
