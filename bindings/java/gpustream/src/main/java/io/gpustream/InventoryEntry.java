// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.internal.Layouts.INVENTORY_ENTRY;

import io.gpustream.internal.Scratch;
import java.util.Optional;

/**
 * One GPU, or one MIG instance of a GPU, as NVIDIA's management library (NVML) lists it. What
 * NVML does not report is 0 or empty.
 *
 * @param status OK; DRIVER: the GPU is listed but cannot be asked
 * @param nativeCode NVML's code beside a status that is not OK, else 0
 * @param nvmlIndex NVML's index of the GPU; of the GPU it lies on for a MIG instance
 * @param ordinal ordinal of the CUDA device in this process; -1: not visible to it; -2: not known
 * @param mig whether it is a MIG instance
 * @param migIndex NVML's index of the instance on its GPU; -1 for a GPU
 * @param migEnabled whether the GPU is divided into MIG instances: only those can be used
 * @param capabilityMajor compute capability, first part
 * @param capabilityMinor compute capability, second part
 * @param pciAddress PCI address, of the GPU
 * @param totalMemoryBytes memory, of the instance for MIG, bytes
 * @param uuid UUID as text, "GPU-" or "MIG-" in front
 * @param name name of the product
 */
public record InventoryEntry(
        Status status,
        int nativeCode,
        int nvmlIndex,
        int ordinal,
        boolean mig,
        int migIndex,
        boolean migEnabled,
        int capabilityMajor,
        int capabilityMinor,
        Optional<DeviceInfo.PciAddress> pciAddress,
        long totalMemoryBytes,
        String uuid,
        String name) {

    static InventoryEntry read(Scratch scratch) {
        Optional<DeviceInfo.PciAddress> pci = Optional.empty();
        if (INVENTORY_ENTRY.getInt(scratch, "has_pci") != 0) {
            pci = Optional.of(new DeviceInfo.PciAddress(
                    INVENTORY_ENTRY.getInt(scratch, "pci_domain"),
                    INVENTORY_ENTRY.getInt(scratch, "pci_bus"),
                    INVENTORY_ENTRY.getInt(scratch, "pci_device")));
        }
        return new InventoryEntry(
                Status.of(INVENTORY_ENTRY.getInt(scratch, "status")),
                INVENTORY_ENTRY.getInt(scratch, "native_code"),
                INVENTORY_ENTRY.getInt(scratch, "nvml_index"),
                INVENTORY_ENTRY.getInt(scratch, "ordinal"),
                INVENTORY_ENTRY.getInt(scratch, "is_mig") != 0,
                INVENTORY_ENTRY.getInt(scratch, "mig_index"),
                INVENTORY_ENTRY.getInt(scratch, "mig_enabled") != 0,
                INVENTORY_ENTRY.getInt(scratch, "capability_major"),
                INVENTORY_ENTRY.getInt(scratch, "capability_minor"),
                pci,
                INVENTORY_ENTRY.getLong(scratch, "total_memory_bytes"),
                INVENTORY_ENTRY.getText(scratch, "uuid"),
                INVENTORY_ENTRY.getText(scratch, "name"));
    }
}
