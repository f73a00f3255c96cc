// SPDX-License-Identifier: Apache-2.0
// The one way from a C function into the library: who may call now, exceptions stop here, failures become the thread's
// last error.
#pragma once

#include <new>
#include <type_traits>

#include "base/fork_state.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/slots.hpp"
#include "gpustream.h"
#include "handle/grace.hpp"
#include "handle/handle_bits.hpp"

// A function that is on no hot path, in a file with some that are: released libraries have it compiled for size alone, as the files
// that GPUSTREAM_RARE names.
#if defined(__clang__)
#define GS_RARE __attribute__((minsize))
#else
#define GS_RARE
#endif

// A file of this folder has one directive, `using namespace gs::api`, for this and all layers below.
namespace gs::api {

using namespace gs;

enum class Rule {
    Any,      // no device is involved: also in a forked child, also inside host functions
    Getter,   // reads what is known of an object or device: also inside host functions
    Device,   // may act on a device: not inside host functions
    Lengthy,  // may take long, and notifications need it: not in a function that holds a stream
    Slow,     // may wait within the driver: not in functions that others wait for
    Blocking, // blocks the caller until something is done: nor under gs_forbid_sync

    // The same as three of these for what is called by a function that has looked for rare states (with.hpp).
    DeviceInside,
    LengthyInside,
    BlockingInside,
};
constexpr bool is_inside(Rule rule) noexcept { return rule >= Rule::DeviceInside; }
constexpr bool may_block(Rule rule) noexcept { return rule == Rule::Blocking || rule == Rule::BlockingInside; }

// The function that was called and what it was given, for the record of a failure.
struct Call {
    Call(const char *name) noexcept : function(name) {} // NOLINT: for functions that are given none of these
    Call(const char *name, gs_device_t where) noexcept : function(name), device(where) {}
    Call(const char *name, gs_stream_t one) noexcept : function(name), stream(one) {}
    Call(const char *name, gs_event_t one) noexcept : function(name), event(one) {}
    Call(const char *name, gs_stream_t one, gs_event_t other) noexcept : function(name), stream(one), event(other) {}

    const char *function;
    gs_stream_t stream = nullptr;
    gs_event_t event = nullptr;
    gs_device_t device = GS_DEVICE_NONE;
};

// GS_OK, or what the call returns instead. settles: the call may release what bridges no longer use, which may call a function of
// the program. It is false for getters: bindings make calls whose cost the header states as "memory" in ways that allow
// no call back.
gs_status_t enter_rare_state(const char *function, bool settles) noexcept __attribute__((cold));
// Makes the block of the thread at its first call. That call may be the first one to see that the process is a bad fork:
// it is refused then, unless `any` allows it there. Locks may then be as threads of the parent had left them.
gs_status_t attach_caller(const char *function, bool any) noexcept __attribute__((cold));
// Makes the failure the thread's last error; if it is due to a capture, looks whether the call broke one.
// The parts of a Call go in registers, so that a call that succeeds never writes one to memory.
void report_failure(ThreadBlock &thread, gs_status_t code, const char *function, gs_stream_t stream, gs_event_t event,
                    gs_device_t device) noexcept __attribute__((cold));
Status refuse_in_host_function() noexcept __attribute__((cold));
Status refuse_to_block(const ThreadBlock &thread) noexcept __attribute__((cold));
Status refuse_exception() noexcept __attribute__((cold)); // inside a catch block

// The reasons of a thread, bits of MayNotBlock, for which a call is refused.
constexpr uint8_t refusing(Rule rule) noexcept {
    if (may_block(rule)) return 0xff;
    if (rule == Rule::Slow)
        return 0xff & ~(kSyncForbidden | kInitializing); // a function of initialisation makes objects
    return rule == Rule::Lengthy || rule == Rule::LengthyInside ? kHolding : 0;
}

template <Rule rule>
Status permitted(const ThreadBlock &thread) noexcept {
    if constexpr (rule != Rule::Any && rule != Rule::Getter)
        if (thread.callback_depth > 0) return refuse_in_host_function();
    if constexpr (refusing(rule) != 0)
        if ((thread.may_not_block & refusing(rule)) != 0) return refuse_to_block(thread);
    return kOk;
}

// Without the look for rare states, for functions that have a way of their own in those.
template <Rule rule, typename Body>
gs_status_t guarded(const Call call, Body &&body) noexcept {
    ThreadBlock *thread = t_block;
    if (!thread) {
        if (const gs_status_t refused = attach_caller(call.function, rule == Rule::Any); refused != GS_OK)
            return refused;
        thread = t_block;
    }
    Status status = permitted<rule>(*thread);
    if (status.ok()) {
        try {
            if constexpr (may_block(rule)) {
                const SyncWatch watch(call.function);
                status = body(*thread);
            } else {
                status = body(*thread);
            }
        } catch (...) {
            status = refuse_exception();
        }
    }
    if (status.code == GS_OK) return GS_OK;
    if (status.code == GS_NOT_READY) {
        thread->not_ready = call.function;
        return GS_NOT_READY;
    }
    report_failure(*thread, status.code, call.function, call.stream, call.event, call.device);
    return status.code;
}

template <Rule rule, typename Body>
gs_status_t boundary(const Call call, Body &&body) noexcept {
    if constexpr (rule != Rule::Any && !is_inside(rule))
        if (in_rare_state())
            if (const gs_status_t refused = enter_rare_state(call.function, rule != Rule::Getter); refused != GS_OK)
                return refused;
    return guarded<rule>(call, static_cast<Body &&>(body));
}

Status null_argument(const char *name) noexcept __attribute__((cold));
// what: "stream flags"; names: those that exist, with their values.
Status unknown_flags(const char *what, uint32_t flags, uint32_t known, const char *names) noexcept
    __attribute__((cold));
inline Status check_flags(const char *what, uint32_t flags, uint32_t known, const char *names) noexcept {
    return (flags & ~known) == 0 ? kOk : unknown_flags(what, flags, known, names);
}

// Scalar and handle outputs are zeroed on entry, whatever comes next. Structs are untouched on failure.
template <typename T>
void zero(T *out) noexcept {
    if constexpr (!std::is_class_v<T>)
        if (out) *out = T{};
}

// INVALID_ARGUMENT, naming it, when a pointer the call needs is NULL.
#define GS_INPUT(pointer)                                                                                              \
    do {                                                                                                               \
        if (!(pointer)) return ::gs::api::null_argument(#pointer);                                                     \
    } while (0)

} // namespace gs::api

// The calls on the current stream and device while the process is in a rare state: forked, or with bridges. In all other
// processes they have a shorter way.

namespace gs::api::bridged {

gs_status_t current_stream(const char *function, gs_device_t device, gs_stream_t *out_stream) noexcept;
gs_status_t set(const char *function, gs_stream_t stream) noexcept;
gs_status_t exchange(const char *function, gs_stream_t stream, gs_stream_t *out_previous) noexcept;
gs_status_t push(const char *function, gs_stream_t stream, uint64_t *out_scope) noexcept;
gs_status_t pop(const char *function, uint64_t scope) noexcept;
gs_status_t unwind(const char *function, uint64_t scope) noexcept;

gs_status_t current_device(const char *function, gs_device_t *out_device) noexcept;
gs_status_t set_device(const char *function, gs_device_t device) noexcept;
gs_status_t exchange_device(const char *function, gs_device_t device, gs_device_t *out_previous) noexcept;

} // namespace gs::api::bridged
