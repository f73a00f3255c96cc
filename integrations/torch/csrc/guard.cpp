// SPDX-License-Identifier: Apache-2.0
// c10's device guard over gpustream's host backend: devices, streams, events.
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <array>
#include <mutex>
#include <vector>

#include "calls.hpp"
#include "memory.hpp"

namespace gpustream_torch {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::EventFlag;
using c10::Stream;

// PyTorch never reports the end of a stream's use, so new ones come from pools, as its own for CUDA do.
constexpr size_t kPool = 32;

class StreamPools {
public:
    gs_stream_t take(DeviceIndex index, bool high) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const size_t at = 2 * static_cast<size_t>(index) + (high ? 1 : 0);
        if (at >= pools_.size()) pools_.resize(at + 1);
        Pool &pool = pools_[at];
        gs_stream_t &stream = pool.streams[pool.next++ % kPool];
        if (!stream) check(gs_stream_create(number_of(index), high ? -1 : 0, 0, &stream));
        return stream;
    }

private:
    struct Pool {
        std::array<gs_stream_t, kPool> streams{};
        size_t next = 0;
    };
    std::mutex mutex_;
    std::vector<Pool> pools_;
};

StreamPools &pools() {
    static auto *const immortal = new StreamPools;
    return *immortal;
}

gs_event_t event_of(void *event) { return static_cast<gs_event_t>(event); }

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override { return kType; }

    Device exchangeDevice(Device device) const override {
        const Device before = getDevice();
        setDevice(device);
        return before;
    }
    Device getDevice() const override { return Device(kType, current_index()); }
    void setDevice(Device device) const override {
        TORCH_INTERNAL_ASSERT(device.type() == kType);
        check(gs_set_current_device(number_of(device.index())));
    }
    void uncheckedSetDevice(Device device) const noexcept override {
        (void)gs_set_current_device(number_of(device.index()));
    }
    DeviceIndex deviceCount() const noexcept override {
        int32_t count = 0;
        return gs_device_count(GS_BACKEND_HOST, &count) == GS_OK ? static_cast<DeviceIndex>(count) : DeviceIndex{0};
    }
    c10::DeviceCapability getDeviceCapability(Device) const override { return {}; }

    Stream getStream(Device device) const override { return to_torch(current_stream(index_of(device))); }
    Stream getDefaultStream(Device device) const override {
        return Stream(Stream::DEFAULT, Device(kType, index_of(device)));
    }
    Stream getStreamFromGlobalPool(Device device, bool high) const override {
        return to_torch(pools().take(index_of(device), high));
    }
    Stream getNewStream(Device device, int priority) const override {
        return to_torch(pools().take(index_of(device), priority < 0));
    }
    // The current device stays what it is: gpustream's call changes it too.
    Stream exchangeStream(Stream stream) const override {
        gs_device_t device = 0;
        gs_stream_t before = nullptr;
        check(gs_current_device(&device));
        check(gs_exchange_current_stream(to_gpustream(stream), &before));
        const Stream previous = to_torch(before);
        check(gs_stream_destroy(before));
        check(gs_set_current_device(device));
        return previous;
    }
    void *getStreamNativeHandle(const Stream stream) const override {
        uintptr_t native = 0;
        check(gs_stream_native(to_gpustream(stream), &native));
        return reinterpret_cast<void *>(native);
    }
    bool queryStream(const Stream &stream) const override {
        int32_t done = 0;
        check(gs_stream_query(to_gpustream(stream), &done));
        return done != 0;
    }
    void synchronizeStream(const Stream &stream) const override { check(gs_stream_synchronize(to_gpustream(stream))); }
    void synchronizeDevice(const DeviceIndex index) const override { check(gs_device_synchronize(number_of(index))); }
    void recordDataPtrOnStream(const c10::DataPtr &pointer, const Stream &stream) const override {
        record_stream(pointer, stream);
    }

    void record(void **event, const Stream &stream, const DeviceIndex index, const EventFlag flag) const override {
        TORCH_CHECK(index == -1 || index == stream.device_index(), "Event device index ", static_cast<int>(index),
                    " does not match recording stream's device index ", static_cast<int>(stream.device_index()), ".");
        gs_event_t made = event_of(*event);
        if (!made) {
            TORCH_CHECK(flag == EventFlag::PYTORCH_DEFAULT || flag == EventFlag::BACKEND_DEFAULT,
                        "gpustream has no such events");
            check(gs_event_create(flag == EventFlag::BACKEND_DEFAULT ? GS_EVENT_TIMING : 0, &made));
            *event = made;
        }
        check(gs_event_record(made, to_gpustream(stream)));
    }
    void block(void *event, const Stream &stream) const override {
        if (event) check(gs_event_wait(event_of(event), to_gpustream(stream)));
    }
    bool queryEvent(void *event) const override {
        int32_t done = 1;
        if (event) check(gs_event_query(event_of(event), &done));
        return done != 0;
    }
    void synchronizeEvent(void *event) const override {
        if (event) check(gs_event_synchronize(event_of(event)));
    }
    void destroyEvent(void *event, const DeviceIndex) const noexcept override {
        if (event) (void)gs_event_destroy(event_of(event));
    }
    double elapsedTime(void *start, void *end, const DeviceIndex) const override {
        double milliseconds = 0;
        check(gs_event_elapsed_ms(event_of(start), event_of(end), &milliseconds));
        return milliseconds;
    }

private:
    static DeviceIndex index_of(Device device) { return device.has_index() ? device.index() : current_index(); }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

} // namespace
} // namespace gpustream_torch
