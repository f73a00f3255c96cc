// SPDX-License-Identifier: Apache-2.0
// What torch.accelerator asks of a device.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include <mutex>
#include <vector>

#include "calls.hpp"
#include "memory.hpp"

namespace gpustream_torch {
namespace {

// Random numbers are made by the CPU, so a device's generator is one of the CPU's kind.
struct Generator final : at::CPUGeneratorImpl {
    explicit Generator(c10::DeviceIndex index) {
        device_ = c10::Device(kType, index);
        key_set_ = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
    }
};

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return deviceCount() > 0; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::DeviceIndex deviceCount() const override {
        int32_t count = 0;
        return gs_device_count(GS_BACKEND_HOST, &count) == GS_OK ? static_cast<c10::DeviceIndex>(count)
                                                                 : c10::DeviceIndex{0};
    }
    void setCurrentDevice(c10::DeviceIndex index) const override { check(gs_set_current_device(number_of(index))); }
    c10::DeviceIndex getCurrentDevice() const override { return current_index(); }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
        const c10::DeviceIndex before = current_index();
        if (index >= 0) setCurrentDevice(index);
        return before;
    }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override { return exchangeDevice(index); }

    bool isPinnedPtr(const void *data) const override { return is_pinned(data); }
    at::Allocator *getPinnedMemoryAllocator() const override { return pinned_allocator(); }
    at::Device getDeviceFromPtr(void *) const override { return at::Device(kType, current_index()); }

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override {
        static std::mutex mutex;
        static auto *const all = new std::vector<at::Generator>;
        const std::lock_guard<std::mutex> lock(mutex);
        if (all->empty())
            for (c10::DeviceIndex i = 0; i < deviceCount(); ++i) all->push_back(at::make_generator<Generator>(i));
        return all->at(static_cast<size_t>(index < 0 ? current_index() : index));
    }
    at::Generator getNewGenerator(c10::DeviceIndex index) const override {
        return at::make_generator<Generator>(index < 0 ? current_index() : index);
    }
};

const bool kRegistered = [] {
    at::RegisterPrivateUse1HooksInterface(new Hooks);
    return true;
}();

} // namespace
} // namespace gpustream_torch
