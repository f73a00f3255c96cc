// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "fault/fake_driver.hpp"
#include "fault/scenario.hpp"

namespace gs::test {
namespace {

void stream_life(Run &run) {
    int32_t number = 0;
    int64_t id = 0;
    gs_stream_info_t info{};
    info.struct_size = sizeof info;
    gs_device_t device = 0;
    STREAM(stream);
    STREAM(blocking);
    MAKE(stream, gs_stream_create(0, -2, 0, stream.out()));
    MAKE(blocking, gs_stream_create(0, 0, GS_STREAM_BLOCKING, blocking.out()));
    DO(gs_stream_id(stream, run.out(&id)));
    DO(gs_stream_device(stream, run.out(&device)));
    DO(gs_stream_get_info(stream, &info));
    run.require(info.priority == -2, "priority");
    DO(gs_stream_equal(stream, blocking, run.out(&number)));
    DO(gs_stream_is_capturing(stream, run.out(&number)));
    DO(gs_stream_query(stream, run.out(&number)));
    DO(gs_stream_wait_stream(stream, blocking));
    DO(gs_stream_synchronize(stream));
    gs_stream_triple_t triple{};
    DO(gs_stream_pack(stream, run.out(&triple)));
    STREAM(unpacked);
    MAKE(unpacked, gs_stream_unpack(&triple, unpacked.out()));
    DO(gs_stream_retain(stream));
    CLEAN(gs_stream_destroy(stream));
}

// Used streams wait for their work before they are reused; exported ones are reset.
void stream_pool(Run &run) {
    uintptr_t native = 0;
    for (int i = 0; i < 3; ++i) {
        STREAM(stream);
        MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
        DO(gs_stream_sleep(stream, 1000));
        DO(gs_stream_synchronize(stream));
        if (i == 1) DO(gs_stream_native(stream, run.out(&native)));
    }
    STREAM(again);
    MAKE(again, gs_stream_create(0, 0, 0, again.out()));
}

void kinds(Run &run) {
    STREAM(dedicated);
    MAKE(dedicated, gs_stream_create(0, 0, GS_STREAM_DEDICATED, dedicated.out()));
    STREAM(shared);
    MAKE(shared, gs_stream_create(0, 0, GS_STREAM_SHARED, shared.out()));
    DO(gs_stream_synchronize(dedicated));
}

void default_streams(Run &run) {
    int32_t done = 0;
    gs_stream_t stream = nullptr, own = nullptr;
    DO(gs_default_stream(0, run.out(&stream)));
    DO(gs_per_thread_stream(0, run.out(&own)));
    EVENT(event);
    MAKE(event, gs_event_create(0, event.out()));
    DO(gs_stream_record_event(stream, event));
    DO(gs_stream_wait_event(own, event));
    DO(gs_stream_query(stream, run.out(&done)));
    DO(gs_stream_is_capturing(own, run.out(&done)));
    DO(gs_stream_synchronize(own));
}

void current_stream(Run &run) {
    gs_stream_t now = nullptr;
    uint64_t outer = 0, inner = 0;
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    STREAM(other);
    MAKE(other, gs_stream_create(1, 0, 0, other.out()));
    gs_stream_t original = nullptr;
    DO(gs_default_stream(0, run.out(&original)));
    if (run.step("gs_push_current_stream(stream)", GS_OK,
                 [&] { return gs_push_current_stream(stream, run.out(&outer)); })) {
        if (run.step("gs_push_current_stream(other)", GS_OK,
                     [&] { return gs_push_current_stream(other, run.out(&inner)); })) {
            (void)run.step("gs_current_stream(-1)", GS_OK,
                           [&] { return gs_current_stream(GS_DEVICE_CURRENT, run.out(&now)); });
            CLEAN(gs_pop_current_stream(inner));
        }
        // From here on the outer scope has a context to restore.
        if (run.status == GS_OK)
            (void)run.step("gs_set_current_device(1)", GS_OK, [] { return gs_set_current_device(1); });
        CLEAN(gs_unwind_current_stream(outer));
    }
    if (run.status != GS_OK) return;
    STREAM(previous);
    MAKE(previous, gs_exchange_current_stream(stream, previous.out()));
    CLEAN(gs_set_current_stream(original));
}

// Objects that another library created in the primary context of device 0, which has a gpustream stream as well.
CUstream g_foreign_stream = nullptr;
CUevent g_foreign_event = nullptr;

void require(bool condition) {
    if (!condition) std::abort();
}

void make_foreign() {
    CUcontext context = nullptr;
    gs_stream_t stream = nullptr;
    require(gs_stream_create(0, 0, 0, &stream) == GS_OK && gs_stream_destroy(stream) == GS_OK);
    require(!fake().symbol<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain")(&context, 0));
    require(!fake().symbol<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent_v2")(context));
    require(!fake().symbol<PFN_cuStreamCreate_v2000>("cuStreamCreate")(&g_foreign_stream, CU_STREAM_NON_BLOCKING));
    require(!fake().symbol<PFN_cuEventCreate_v2000>("cuEventCreate")(&g_foreign_event, CU_EVENT_DISABLE_TIMING));
    require(!fake().symbol<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent_v2")(&context));
}

void foreign(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_from_native(0, reinterpret_cast<uintptr_t>(g_foreign_stream), stream.out()));
    STREAM(owned);
    MAKE(owned, gs_stream_from_native_owned(
                    0, reinterpret_cast<uintptr_t>(g_foreign_stream), [](void *) {}, nullptr, owned.out()));
    uintptr_t given = 0;
    DO(gs_stream_retain(owned));
    DO(gs_stream_into_native(owned, run.out(&given)));
    EVENT(event);
    MAKE(event, gs_event_from_native(0, reinterpret_cast<uintptr_t>(g_foreign_event), event.out()));
    EVENT(adopted);
    MAKE(adopted, gs_event_from_native_owned(
                      0, reinterpret_cast<uintptr_t>(g_foreign_event), [](void *) {}, nullptr, adopted.out()));
    DO(gs_event_retain(adopted));
    DO(gs_event_into_native(adopted, run.out(&given)));
    DO(gs_event_record(event, stream));
    DO(gs_event_wait(event, stream));
    DO(gs_event_synchronize(event));
    DO(gs_stream_synchronize(stream));
}

} // namespace

std::vector<Scenario> stream_scenarios() {
    return {{"stream_life", stream_life},
            {"stream_pool", stream_pool},
            {"stream_kinds", kinds},
            {"default_streams", default_streams},
            {"current_stream", current_stream},
            {"foreign", foreign, false, nullptr, make_foreign},
            {"foreign_before_12_8", foreign, false, "FAKE_CUDA_DRIVER_VERSION=12040", make_foreign}};
}

} // namespace gs::test
