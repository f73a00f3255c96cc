// SPDX-License-Identifier: Apache-2.0
// The other side of an imported timeline: a device of Vulkan, its queue, and semaphores that it exports.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <cstdint>

namespace gs::test {

// Of the first NVIDIA GPU. The loader is opened at run time, as the driver is.
class VulkanSide {
public:
    VulkanSide();
    ~VulkanSide();
    VulkanSide(const VulkanSide &) = delete;
    VulkanSide &operator=(const VulkanSide &) = delete;

    bool works() const { return device_ != nullptr; }
    // Of Vulkan's timeline type, at that value.
    VkSemaphore make_semaphore(uint64_t value);
    // -1: refused. The semaphore's memory is shared with what imports it.
    int export_semaphore(VkSemaphore semaphore) const;
    uint64_t value(VkSemaphore semaphore) const;
    void signal(VkSemaphore semaphore, uint64_t value) const;
    // The queue waits until the semaphore has one value, and then gives it the other.
    void submit(VkSemaphore semaphore, uint64_t waits_for, uint64_t signals) const;

private:
    template <typename Function>
    void find(Function &function, const char *name) const;
    bool make_instance();
    bool make_device();

    PFN_vkGetInstanceProcAddr get_ = nullptr;
    PFN_vkGetPhysicalDeviceProperties properties_ = nullptr;
    PFN_vkEnumeratePhysicalDevices enumerate_ = nullptr;
    PFN_vkCreateDevice create_device_ = nullptr;
    PFN_vkDestroyDevice destroy_device_ = nullptr;
    PFN_vkDestroyInstance destroy_instance_ = nullptr;
    PFN_vkDeviceWaitIdle wait_idle_ = nullptr;
    PFN_vkGetDeviceQueue get_queue_ = nullptr;
    PFN_vkCreateSemaphore create_semaphore_ = nullptr;
    PFN_vkGetSemaphoreFdKHR get_fd_ = nullptr;
    PFN_vkGetSemaphoreCounterValue counter_ = nullptr;
    PFN_vkSignalSemaphore signal_ = nullptr;
    PFN_vkQueueSubmit submit_ = nullptr;
    VkInstance instance_ = nullptr;
    VkDevice device_ = nullptr;
    VkQueue queue_ = nullptr;
};

} // namespace gs::test
