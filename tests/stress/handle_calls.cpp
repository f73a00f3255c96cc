// SPDX-License-Identifier: Apache-2.0
#include "handle_calls.hpp"

#include "handle/handle_bits.hpp"

namespace gs::test {
namespace {

thread_local struct Outputs {
    int32_t number;
    int64_t id;
    uint32_t flags;
    uint64_t word;
    double ms;
    uintptr_t native;
    void *pointer;
    gs_stream_t stream;
    gs_kernel_t kernel;
    gs_stream_triple_t triple;
    gs_ipc_handle_t ipc;
    char bytes[64];
} t;

void nothing(void *) {}
void nothing_notified(void *, gs_status_t) {}
const gs_launch_config_t kConfig = {sizeof(gs_launch_config_t), 1, 1, 1, 1, 1, 1, 0};

template <typename Handle>
Handle as(uint64_t bits) {
    return to_handle<Handle>(bits);
}

// clang-format off
#define GS_TAKES(wanted, type, function, ...)                                                                \
    {#function, Wants::wanted, [](uint64_t bits, [[maybe_unused]] const LiveObjects &live) -> gs_status_t { \
         const auto h = as<type>(bits);                                                                     \
         return function(__VA_ARGS__);                                                                      \
     }}
// clang-format on
#define GS_STREAM(function, ...) GS_TAKES(Stream, gs_stream_t, function, __VA_ARGS__)
#define GS_OPTIONAL(function, ...) GS_TAKES(OptionalStream, gs_stream_t, function, __VA_ARGS__)
#define GS_EVENT(function, ...) GS_TAKES(Event, gs_event_t, function, __VA_ARGS__)

const std::vector<HandleCall> kCalls = {
    GS_STREAM(gs_stream_retain, h),
    GS_STREAM(gs_stream_destroy, h),
    GS_STREAM(gs_set_current_stream, h),
    GS_STREAM(gs_exchange_current_stream, h, &t.stream),
    GS_STREAM(gs_push_current_stream, h, &t.word),
    GS_STREAM(gs_stream_query, h, &t.number),
    GS_STREAM(gs_stream_synchronize, h),
    GS_STREAM(gs_stream_native, h, &t.native),
    GS_STREAM(gs_stream_id, h, &t.id),
    GS_STREAM(gs_stream_device, h, &t.number),
    GS_STREAM(gs_stream_priority, h, &t.number),
    GS_STREAM(gs_stream_flags, h, &t.flags),
    GS_STREAM(gs_stream_is_capturing, h, &t.number),
    GS_STREAM(gs_stream_equal, h, live.stream, &t.number),
    GS_STREAM(gs_stream_equal, live.stream, h, &t.number),
    GS_STREAM(gs_stream_hash, h, &t.word),
    GS_STREAM(gs_stream_pack, h, &t.triple),
    GS_OPTIONAL(gs_stream_wait_event, h, live.event),
    GS_EVENT(gs_stream_wait_event, live.stream, h),
    GS_OPTIONAL(gs_stream_wait_stream, h, live.stream),
    GS_OPTIONAL(gs_stream_wait_stream, live.stream, h),
    GS_OPTIONAL(gs_stream_record_event, h, live.event),
    GS_EVENT(gs_stream_record_event, live.stream, h),
    GS_OPTIONAL(gs_stream_launch_host, h, nothing, nullptr),
    GS_OPTIONAL(gs_stream_notify, h, nothing_notified, nullptr),
    GS_OPTIONAL(gs_stream_sleep, h, 0),
    GS_EVENT(gs_event_retain, h),
    GS_EVENT(gs_event_destroy, h),
    GS_EVENT(gs_event_record, h, live.stream),
    GS_OPTIONAL(gs_event_record, live.event, h),
    GS_EVENT(gs_event_wait, h, live.stream),
    GS_OPTIONAL(gs_event_wait, live.event, h),
    GS_EVENT(gs_event_query, h, &t.number),
    GS_EVENT(gs_event_synchronize, h),
    GS_EVENT(gs_event_elapsed_ms, h, live.event, &t.ms),
    GS_EVENT(gs_event_elapsed_ms, live.event, h, &t.ms),
    GS_EVENT(gs_event_native, h, &t.native),
    GS_EVENT(gs_event_id, h, &t.word),
    GS_EVENT(gs_event_device, h, &t.number),
    GS_EVENT(gs_event_flags, h, &t.flags),
    GS_EVENT(gs_event_ipc_export, h, &t.ipc),
    GS_OPTIONAL(gs_malloc_async, 64, h, &t.pointer),
    GS_OPTIONAL(gs_free_async, nullptr, h),
    GS_OPTIONAL(gs_memcpy_async, live.memory, static_cast<char *>(live.memory) + 32, 8, h),
    GS_OPTIONAL(gs_memset_async, live.memory, 0, 8, h),
    GS_TAKES(Module, gs_module_t, gs_module_destroy, h),
    GS_TAKES(Module, gs_module_t, gs_module_get_kernel, h, "nothing", &t.kernel),
    GS_TAKES(Kernel, gs_kernel_t, gs_kernel_launch, h, &kConfig, nullptr, live.stream),
    GS_OPTIONAL(gs_kernel_launch, live.kernel, &kConfig, nullptr, h),
};

} // namespace

const std::vector<HandleCall> &handle_calls() { return kCalls; }

} // namespace gs::test
