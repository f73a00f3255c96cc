// SPDX-License-Identifier: Apache-2.0
#include "gpustream_lives.hpp"

#include "gpustream_objects.hpp"

namespace bench {
namespace {

void event_create_destroy(benchmark::State &state) {
    gs_status_t failed = GS_OK;
    for (auto _ : state) {
        gs_event_t event;
        failed |= gs_event_create(0, &event);
        failed |= gs_event_destroy(event);
    }
    check_gs(state, failed);
}

void event_life(benchmark::State &state) {
    Stream stream;
    gs_status_t failed = GS_OK;
    for (auto _ : state) {
        gs_event_t event;
        failed |= gs_event_create(0, &event);
        failed |= gs_event_record(event, stream);
        failed |= gs_event_destroy(event);
    }
    check_gs(state, failed);
}

void stream_create_destroy(benchmark::State &state) {
    gs_status_t failed = GS_OK;
    for (auto _ : state) {
        gs_stream_t stream;
        failed |= gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream);
        failed |= gs_stream_destroy(stream);
    }
    check_gs(state, failed);
}

// Used once, so that its next lease has to query the driver.
void stream_life(benchmark::State &state) {
    Event event;
    gs_status_t failed = GS_OK;
    for (auto _ : state) {
        gs_stream_t stream;
        failed |= gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream);
        failed |= gs_event_record(event, stream);
        failed |= gs_stream_destroy(stream);
    }
    check_gs(state, failed);
}

void malloc_free(benchmark::State &state) {
    Stream stream;
    gs_status_t failed = GS_OK;
    void *memory = nullptr;
    for (auto _ : state) {
        failed |= gs_malloc_async(kBlockBytes, stream, &memory);
        failed |= gs_free_async(memory, stream);
    }
    check_gs(state, failed);
}

// As stream_life, in a partition of the device.
void partition_stream_life(benchmark::State &state) {
    Event event;
    const uint32_t one = 1;
    gs_partition_t partition = nullptr;
    gs_status_t failed = gs_partition_create(GS_DEVICE_CURRENT, &one, 1, 0, &partition);
    for (auto _ : state) {
        gs_stream_t stream;
        failed |= gs_stream_create_in(partition, 0, 0, &stream);
        failed |= gs_event_record(event, stream);
        failed |= gs_stream_destroy(stream);
    }
    failed |= gs_partition_destroy(partition);
    check_gs(state, failed);
}

void current_stream(benchmark::State &state) {
    gs_status_t failed = gs_set_current_device(0);
    gs_stream_t stream;
    for (auto _ : state) failed |= gs_current_stream(GS_DEVICE_CURRENT, &stream);
    check_gs(state, failed);
}

void push_pop(benchmark::State &state) {
    gs_status_t failed = gs_set_current_device(0);
    Stream stream;
    uint64_t scope = 0;
    for (auto _ : state) {
        failed |= gs_push_current_stream(stream, &scope);
        failed |= gs_pop_current_stream(scope);
    }
    check_gs(state, failed);
}

// One stream for all threads.
void push_pop_shared(benchmark::State &state) {
    static gs_stream_t stream;
    gs_status_t failed = gs_set_current_device(0);
    if (state.thread_index() == 0) failed |= gs_stream_create(0, 0, 0, &stream);
    uint64_t scope = 0;
    for (auto _ : state) {
        failed |= gs_push_current_stream(stream, &scope);
        failed |= gs_pop_current_stream(scope);
    }
    if (state.thread_index() == 0) failed |= gs_stream_destroy(stream);
    check_gs(state, failed);
}

// Both after the backend has started.
void device_count(benchmark::State &state) {
    gs_status_t failed = gs_init();
    int32_t count = 0;
    for (auto _ : state) failed |= gs_device_count(GS_BACKEND_DEFAULT, &count);
    check_gs(state, failed);
}

void device_properties(benchmark::State &state) {
    gs_status_t failed = gs_init();
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    for (auto _ : state) failed |= gs_device_get_info(0, &info);
    check_gs(state, failed);
}

} // namespace

void add_gpustream_lives() {
    add("event create + destroy", "gpustream", State::Idle, event_create_destroy);
    add("event create, record, destroy", "gpustream", State::Idle, event_life);
    add("stream create + destroy", "gpustream", State::Idle, stream_create_destroy);
    add("stream create, record, destroy", "gpustream", State::Idle, stream_life);
    add(kMallocFree, "gpustream", State::Idle, malloc_free);
    add("partition stream create, record, destroy", "gpustream", State::Idle, partition_stream_life);
    add("current stream", "gpustream", State::Idle, current_stream);
    add("current stream push + pop", "gpustream", State::Idle, push_pop);
    add("current stream push + pop, shared", "gpustream", State::Idle, push_pop_shared);
    add("device count", "gpustream", State::Idle, device_count);
    add("device properties", "gpustream", State::Idle, device_properties);
}

} // namespace bench
