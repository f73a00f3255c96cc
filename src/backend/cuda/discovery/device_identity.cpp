// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/discovery/device_identity.hpp"

#include <cstring>

#include "backend/cuda/driver/driver_errors.hpp"
#include "inventory/entries.hpp"

namespace gs::cuda {
namespace {

Status read_names(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept {
    CUresult result = driver.device_get_name(thread, info->name, static_cast<int>(sizeof info->name), device);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {driver.device_get_name.name});
    info->name[sizeof info->name - 1] = '\0';
    CUuuid instance{};
    result = driver.device_get_uuid(thread, &instance, device);
    if (result != CUDA_SUCCESS) return map_error_no_device(result, {driver.device_get_uuid.name});
    std::memcpy(info->uuid, instance.bytes, sizeof info->uuid);
    info->has_uuid = 1;
    // The newer form names a MIG instance where the older one names the whole GPU.
    CUuuid gpu{};
    if (driver.device_get_gpu_uuid.present() && driver.device_get_gpu_uuid(thread, &gpu, device) == CUDA_SUCCESS)
        info->is_mig = std::memcmp(&gpu, &instance, sizeof gpu) != 0;
    else
        info->is_mig = std::strstr(info->name, " MIG ") != nullptr;
    return kOk;
}

Status read_pci(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept {
    GS_TRY(read_attribute(driver, thread, device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &info->pci_domain));
    GS_TRY(read_attribute(driver, thread, device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, &info->pci_bus));
    GS_TRY(read_attribute(driver, thread, device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &info->pci_device));
    // Integrated and paravirtual devices answer with zeros.
    info->has_pci = info->pci_domain != 0 || info->pci_bus != 0 || info->pci_device != 0;
    return kOk;
}

} // namespace

// An attribute that this driver or device does not know is 0.
Status read_attribute(const DriverTable &driver, ThreadBlock &thread, CUdevice device, CUdevice_attribute attribute,
                      int *out) noexcept {
    int value = 0;
    const CUresult result = driver.device_get_attribute(thread, &value, attribute, device);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
        return map_error_no_device(result, {driver.device_get_attribute.name});
    *out = result == CUDA_SUCCESS ? value : 0;
    return kOk;
}

Status read_identity(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept {
    GS_TRY(read_names(driver, thread, device, info));
    return read_pci(driver, thread, device, info);
}

inventory::Identity identity_of(const gs_device_info_t &info) {
    return {inventory::uuid_text(info.uuid, info.is_mig != 0), info.has_pci != 0, info.pci_domain, info.pci_bus,
            info.pci_device};
}

Status no_such_device(int32_t ordinal, size_t count) noexcept {
    return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the cuda backend has %zu device(s)", ordinal,
                count);
}

} // namespace gs::cuda
