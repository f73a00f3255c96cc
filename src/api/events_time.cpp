// SPDX-License-Identifier: Apache-2.0
// Events: times.
#include "api/with.hpp"
#include "core/event/event_calls.hpp"
#include "core/hooks/tool_hooks.hpp"

using namespace gs::api;

namespace {

[[gnu::always_inline]] inline Status elapsed(ThreadBlock &thread, gs_event_t start, gs_event_t end,
                                             double *out_ms) noexcept {
    CallMark mark(thread);
    EventSlot *first = nullptr;
    EventSlot *last = nullptr;
    GS_TRY(required_event(thread, handle_bits(start), &first));
    GS_TRY(required_event(thread, handle_bits(end), &last));
    return elapsed_ms(thread, *first, *last, out_ms);
}

// There is a time between events that are both complete; they may be of different streams.
void saw_both(gs_event_t start, gs_event_t end) noexcept {
    tools::saw_event_done(handle_bits(start));
    tools::saw_event_done(handle_bits(end));
}

[[gnu::noinline]] gs_status_t event_elapsed_ms(gs_event_t start, gs_event_t end, double *out_ms) noexcept {
    return boundary<Rule::DeviceInside>(Call("gs_event_elapsed_ms", start), GS_OUT(out_ms),
                                        [&](ThreadBlock &thread) -> Status {
                                            double ms = 0;
                                            GS_TRY(elapsed(thread, start, end, &ms));
                                            *out_ms = ms;
                                            return kOk;
                                        });
}
constexpr auto kSawEventElapsedMs = [](gs_event_t start, gs_event_t end, double *) { saw_both(start, end); };

} // namespace

extern "C" {

gs_status_t gs_event_elapsed_ms(gs_event_t start, gs_event_t end, double *out_ms) {
    return observable<event_elapsed_ms, kSawEventElapsedMs>(__func__, start, end, out_ms);
}

GS_RARE gs_status_t gs_device_calibrate(gs_device_t device, int64_t *out_error_ns) {
    return boundary<Rule::Blocking>(Call(__func__, device), GS_OUT(out_error_ns), [&](ThreadBlock &thread) -> Status {
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        return calibrate_device(thread, *target, out_error_ns);
    });
}

GS_RARE gs_status_t gs_event_time_ns(gs_event_t event, int64_t *out_ns, int64_t *out_error_ns) {
    zero(out_ns);
    zero(out_error_ns);
    const gs_status_t status =
        with_event<Rule::Device>(__func__, event, [&](ThreadBlock &thread, EventSlot &slot) -> Status {
            GS_INPUT(out_ns);
            GS_INPUT(out_error_ns);
            HostTime time{};
            GS_TRY(event_time(thread, slot, &time));
            *out_ns = time.ns;
            *out_error_ns = time.error_ns;
            return kOk;
        });
    if (tools::observed() && status == GS_OK) tools::saw_event_done(handle_bits(event));
    return status;
}

} // extern "C"
