// SPDX-License-Identifier: Apache-2.0
#include "gpu/vulkan_side.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <vector>

namespace gs::test {
namespace {

constexpr uint32_t kNvidia = 0x10de;
constexpr VkExternalSemaphoreHandleTypeFlagBits kOpaque = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

} // namespace

template <typename Function>
void VulkanSide::find(Function &function, const char *name) const {
    function = reinterpret_cast<Function>(get_(instance_, name));
}

VulkanSide::VulkanSide() {
    void *loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL); // stays: drivers do not like to be unloaded
    if (loader) get_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
    if (!get_ || !make_instance()) return;
    find(properties_, "vkGetPhysicalDeviceProperties");
    find(enumerate_, "vkEnumeratePhysicalDevices");
    find(create_device_, "vkCreateDevice");
    find(destroy_device_, "vkDestroyDevice");
    find(destroy_instance_, "vkDestroyInstance");
    find(wait_idle_, "vkDeviceWaitIdle");
    find(get_queue_, "vkGetDeviceQueue");
    find(create_semaphore_, "vkCreateSemaphore");
    find(get_fd_, "vkGetSemaphoreFdKHR");
    find(counter_, "vkGetSemaphoreCounterValue");
    find(signal_, "vkSignalSemaphore");
    find(submit_, "vkQueueSubmit");
    if (make_device()) get_queue_(device_, 0, 0, &queue_);
}

// The semaphores end with their device.
VulkanSide::~VulkanSide() {
    if (device_) {
        EXPECT_EQ(wait_idle_(device_), VK_SUCCESS);
        destroy_device_(device_, nullptr);
    }
    if (instance_) destroy_instance_(instance_, nullptr);
}

bool VulkanSide::make_instance() {
    VkApplicationInfo program{};
    program.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    program.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &program;
    PFN_vkCreateInstance create = nullptr;
    find(create, "vkCreateInstance");
    return create && create(&info, nullptr, &instance_) == VK_SUCCESS;
}

bool VulkanSide::make_device() {
    uint32_t count = 0;
    if (enumerate_(instance_, &count, nullptr) != VK_SUCCESS) return false;
    std::vector<VkPhysicalDevice> found(count);
    if (enumerate_(instance_, &count, found.data()) != VK_SUCCESS) return false;
    for (VkPhysicalDevice candidate : found) {
        VkPhysicalDeviceProperties properties{};
        properties_(candidate, &properties);
        if (properties.vendorID != kNvidia) continue;
        const float priority = 1;
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
        VkPhysicalDeviceTimelineSemaphoreFeatures features{};
        features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
        features.timelineSemaphore = VK_TRUE;
        const char *extension = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.pNext = &features;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
        return create_device_(candidate, &info, nullptr, &device_) == VK_SUCCESS;
    }
    return false;
}

VkSemaphore VulkanSide::make_semaphore(uint64_t value) {
    VkExportSemaphoreCreateInfo exported{};
    exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
    exported.handleTypes = kOpaque;
    VkSemaphoreTypeCreateInfo type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
    type.pNext = &exported;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    type.initialValue = value;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    VkSemaphore semaphore = VK_NULL_HANDLE;
    EXPECT_EQ(create_semaphore_(device_, &info, nullptr, &semaphore), VK_SUCCESS);
    return semaphore;
}

int VulkanSide::export_semaphore(VkSemaphore semaphore) const {
    VkSemaphoreGetFdInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
    info.semaphore = semaphore;
    info.handleType = kOpaque;
    int fd = -1;
    EXPECT_EQ(get_fd_(device_, &info, &fd), VK_SUCCESS);
    return fd;
}

uint64_t VulkanSide::value(VkSemaphore semaphore) const {
    uint64_t value = 0;
    EXPECT_EQ(counter_(device_, semaphore, &value), VK_SUCCESS);
    return value;
}

void VulkanSide::signal(VkSemaphore semaphore, uint64_t value) const {
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = semaphore;
    info.value = value;
    EXPECT_EQ(signal_(device_, &info), VK_SUCCESS);
}

void VulkanSide::submit(VkSemaphore semaphore, uint64_t waits_for, uint64_t signals) const {
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.waitSemaphoreValueCount = values.signalSemaphoreValueCount = 1;
    values.pWaitSemaphoreValues = &waits_for;
    values.pSignalSemaphoreValues = &signals;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.pNext = &values;
    info.waitSemaphoreCount = info.signalSemaphoreCount = 1;
    info.pWaitSemaphores = info.pSignalSemaphores = &semaphore;
    info.pWaitDstStageMask = &stage;
    EXPECT_EQ(submit_(queue_, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
}

} // namespace gs::test
