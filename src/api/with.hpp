// SPDX-License-Identifier: Apache-2.0
// The forms that most C functions have: zero and check the output, find the handle's object, mark it as in use during
// the call, run the body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "api/boundary.hpp"
#include "base/status.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"
#include "core/thread/current_stream.hpp"

namespace gs::api {

// An output that the caller must give, with its name for the message.
template <typename T>
struct Output {
    T *pointer;
    const char *name;
};
template <typename T>
Output(T *, const char *) -> Output<T>; // clang 16 deduces nothing for aggregates
#define GS_OUT(pointer)                                                                                                \
    ::gs::api::Output { pointer, #pointer }

// boundary() for a function that writes *out: INVALID_ARGUMENT if it is NULL.
template <Rule rule, typename T, typename Body>
gs_status_t boundary(const Call call, Output<T> out, Body &&body) noexcept {
    zero(out.pointer);
    return boundary<rule>(call, [&](ThreadBlock &thread) -> Status {
        if (!out.pointer) return null_argument(out.name);
        return body(thread);
    });
}

// The device with this number, after the first use has initialised the library.
inline Status find_device(ThreadBlock &thread, gs_device_t number, Device **out) noexcept {
    GS_TRY(ensure_initialized_for(number));
    return resolve_device(thread, number, out);
}

// The same for calls that are mostly made for the thread's current device.
inline Status find_usual_device(ThreadBlock &thread, const CoreThread &core, gs_device_t number,
                                Device **out) noexcept {
    *out = known_device(core);
    const bool usual = number == GS_DEVICE_CURRENT && *out && g_initialized.load(std::memory_order_acquire);
    return usual ? kOk : find_device(thread, number, out);
}

// The thread's state of the core, made at its first use.
inline Status require_core(ThreadBlock &thread, CoreThread **out) noexcept {
    *out = core_thread(thread);
    return *out ? kOk : fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current streams");
}

inline Call given(Call call, gs_stream_t stream) noexcept {
    call.stream = stream;
    return call;
}
inline Call given(Call call, gs_event_t event) noexcept {
    call.event = event;
    return call;
}

template <typename Slot, typename Handle>
Status find_required(ThreadBlock &thread, Handle handle, Slot **out) noexcept {
    if constexpr (std::is_same_v<Handle, gs_event_t>)
        return required_event(thread, handle_bits(handle), out);
    else
        return required_stream(thread, handle_bits(handle), out);
}

// body(thread, slot) with the object that the handle names; GS_STREAM_CURRENT is refused.
template <Rule rule, typename Slot, typename Handle, typename Body>
gs_status_t with_object(const Call &call, Handle handle, Body &&body) noexcept {
    return boundary<rule>(given(call, handle), [&](ThreadBlock &thread) -> Status {
        CallMark mark(thread);
        Slot *slot = nullptr;
        GS_TRY(find_required(thread, handle, &slot));
        return body(thread, *slot);
    });
}
template <Rule rule, typename Slot, typename Handle, typename T, typename Body>
gs_status_t with_object(const Call &call, Handle handle, Output<T> out, Body &&body) noexcept {
    return boundary<rule>(given(call, handle), out, [&](ThreadBlock &thread) -> Status {
        CallMark mark(thread);
        Slot *slot = nullptr;
        GS_TRY(find_required(thread, handle, &slot));
        return body(thread, *slot);
    });
}

template <Rule rule, typename... Rest>
gs_status_t with_stream(const Call &call, gs_stream_t stream, Rest &&...rest) noexcept {
    return with_object<rule, StreamSlot>(call, stream, static_cast<Rest &&>(rest)...);
}
template <Rule rule, typename... Rest>
gs_status_t with_event(const Call &call, gs_event_t event, Rest &&...rest) noexcept {
    return with_object<rule, EventSlot>(call, event, static_cast<Rest &&>(rest)...);
}

// *out becomes read(slot), which does not call the device.
template <typename T, typename Read>
gs_status_t read_stream(const Call &call, gs_stream_t stream, Output<T> out, Read &&read) noexcept {
    return with_stream<Rule::Getter>(call, stream, out, [&](ThreadBlock &, StreamSlot &slot) -> Status {
        *out.pointer = read(slot);
        return kOk;
    });
}
template <typename T, typename Read>
gs_status_t read_event(const Call &call, gs_event_t event, Output<T> out, Read &&read) noexcept {
    return with_event<Rule::Getter>(call, event, out, [&](ThreadBlock &, EventSlot &slot) -> Status {
        *out.pointer = read(slot);
        return kOk;
    });
}

// body(thread, slot) with a stream that may be GS_STREAM_CURRENT: for what is put into streams.
template <Rule rule = Rule::Device, typename Body>
gs_status_t on_stream(const Call &call, gs_stream_t stream, Body &&body) noexcept {
    return boundary<rule>(given(call, stream), [&](ThreadBlock &thread) -> Status {
        CallMark mark(thread);
        StreamSlot *slot = nullptr;
        GS_TRY(optional_stream(thread, handle_bits(stream), &slot));
        return body(thread, *slot);
    });
}
// The same where the body calls the backend itself: the device must be healthy, and the stream counts as used.
template <Rule rule = Rule::Device, typename Body>
gs_status_t submit_to_stream(const Call &call, gs_stream_t stream, Body &&body) noexcept {
    return on_stream<rule>(call, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_TRY(check_health(slot));
        mark_used(slot);
        return body(thread, slot);
    });
}

// *out becomes the handle that make(thread, &handle) has made.
template <Rule rule = Rule::Device, typename Handle, typename Make>
gs_status_t make_object(const Call &call, Output<Handle> out, Make &&make) noexcept {
    return boundary<rule>(call, out, [&](ThreadBlock &thread) -> Status {
        uint64_t handle = 0;
        GS_TRY(make(thread, &handle));
        *out.pointer = to_handle<Handle>(handle);
        return kOk;
    });
}

// Checks of sizes that callers pass.

// A negative number that was cast to size_t on its way.
inline Status check_bytes(size_t bytes) noexcept {
    if (bytes <= static_cast<size_t>(PTRDIFF_MAX)) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "%zu bytes: larger than any object (a negative number?)", bytes);
}

// Functions that the ordering checker observes. While nothing rare goes on they cost one jump more than the others: the
// test for rare states, which boundary() makes for those, is made for the checker too.

// Handles, structs and untyped memory are inputs; what is written through other pointers is zeroed when a call is refused.
template <typename T>
void zero_if_number([[maybe_unused]] T argument) noexcept {
    using Target = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<T> && std::is_arithmetic_v<Target> && !std::is_const_v<Target>) zero(argument);
}

template <auto call, auto saw, typename... Arguments>
[[gnu::noinline]] gs_status_t call_observed(const char *function, Arguments... arguments) noexcept {
    if (in_rare_state()) {
        if (const gs_status_t refused = enter_rare_state(function, true); refused != GS_OK) {
            (zero_if_number(arguments), ...);
            return refused;
        }
    }
    if (!tools::observed()) return call(arguments...); // with bridges, this is the usual way
    const gs_status_t status = call(arguments...);
    if (status == GS_OK) saw(arguments...);
    return status;
}

// call: the function itself, with a rule of what is called inside; it is not inlined, so that both ways share it.
// saw: tells the checker of a call that has succeeded.
template <auto call, auto saw, typename... Arguments>
[[gnu::always_inline]] inline gs_status_t observable(const char *function, Arguments... arguments) noexcept {
    if (in_rare_or_observed_state()) {
        const gs_status_t status = call_observed<call, saw>(function, arguments...);
        __asm__ volatile(""); // no tail call: reports show this function in the call stack
        return status;
    }
    return call(arguments...);
}

} // namespace gs::api
