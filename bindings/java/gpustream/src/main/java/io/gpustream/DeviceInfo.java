// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import static io.gpustream.internal.Layouts.DEVICE_INFO;

import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;

/**
 * Properties of a device. What a backend or driver does not report is 0 or empty.
 *
 * @param name name of the product
 * @param ordinal ordinal within the backend
 * @param backend kind of device
 * @param capabilityMajor compute capability, first part; 0 on host
 * @param capabilityMinor compute capability, second part
 * @param multiprocessorCount multiprocessors; on host, processors the process may use
 * @param warpSize threads that run in lockstep; 1 on host
 * @param maxThreadsPerBlock most threads of one block
 * @param maxThreadsPerMultiprocessor most resident threads of one multiprocessor
 * @param registersPerMultiprocessor 32-bit registers of one multiprocessor
 * @param clockKhz peak clock of the processors, kHz
 * @param memoryClockKhz peak clock of the memory, kHz
 * @param memoryBusWidthBits width of the memory bus, bits
 * @param computeMode compute mode as CUDA numbers it: 0 shared, 2 prohibited, 3 one process only
 * @param integrated whether the device shares the host's memory
 * @param eccEnabled whether error correction is on
 * @param mig whether the device is a MIG instance
 * @param uuid the device's, of the instance for MIG
 * @param pciAddress PCI domain, bus and device
 * @param priorityRange stream priorities; 0 to 0 on CUDA while the device has no context
 * @param totalMemoryBytes memory, bytes
 * @param l2CacheBytes second-level cache, bytes
 * @param sharedMemoryPerBlockBytes most shared memory of a block, bytes
 * @param sharedMemoryPerBlockOptinBytes the same for a kernel that asks for more than the default, bytes
 * @param sharedMemoryPerMultiprocessorBytes shared memory of a multiprocessor, bytes
 */
public record DeviceInfo(
        String name,
        int ordinal,
        Backend backend,
        int capabilityMajor,
        int capabilityMinor,
        int multiprocessorCount,
        int warpSize,
        int maxThreadsPerBlock,
        int maxThreadsPerMultiprocessor,
        int registersPerMultiprocessor,
        int clockKhz,
        int memoryClockKhz,
        int memoryBusWidthBits,
        int computeMode,
        boolean integrated,
        boolean eccEnabled,
        boolean mig,
        Optional<UUID> uuid,
        Optional<PciAddress> pciAddress,
        PriorityRange priorityRange,
        long totalMemoryBytes,
        long l2CacheBytes,
        long sharedMemoryPerBlockBytes,
        long sharedMemoryPerBlockOptinBytes,
        long sharedMemoryPerMultiprocessorBytes) {

    /**
     * Where a device is plugged in.
     *
     * @param domain PCI domain
     * @param bus PCI bus
     * @param device PCI device (slot)
     */
    public record PciAddress(int domain, int bus, int device) {
        /** {@return domain, bus and device, such as "0000:1b:00"} */
        @Override
        public String toString() {
            return String.format("%04x:%02x:%02x", domain, bus, device);
        }
    }

    static DeviceInfo read(Scratch scratch) {
        return new DeviceInfo(
                DEVICE_INFO.getText(scratch, "name"),
                DEVICE_INFO.getInt(scratch, "ordinal"),
                Backend.of(DEVICE_INFO.getInt(scratch, "backend")),
                DEVICE_INFO.getInt(scratch, "capability_major"),
                DEVICE_INFO.getInt(scratch, "capability_minor"),
                DEVICE_INFO.getInt(scratch, "multiprocessor_count"),
                DEVICE_INFO.getInt(scratch, "warp_size"),
                DEVICE_INFO.getInt(scratch, "max_threads_per_block"),
                DEVICE_INFO.getInt(scratch, "max_threads_per_multiprocessor"),
                DEVICE_INFO.getInt(scratch, "regs_per_multiprocessor"),
                DEVICE_INFO.getInt(scratch, "clock_khz"),
                DEVICE_INFO.getInt(scratch, "memory_clock_khz"),
                DEVICE_INFO.getInt(scratch, "memory_bus_width_bits"),
                DEVICE_INFO.getInt(scratch, "compute_mode"),
                DEVICE_INFO.getInt(scratch, "integrated") != 0,
                DEVICE_INFO.getInt(scratch, "ecc_enabled") != 0,
                DEVICE_INFO.getInt(scratch, "is_mig") != 0,
                uuid(scratch),
                pciAddress(scratch),
                new PriorityRange(
                        DEVICE_INFO.getInt(scratch, "priority_least"), DEVICE_INFO.getInt(scratch, "priority_greatest")),
                DEVICE_INFO.getLong(scratch, "total_memory_bytes"),
                DEVICE_INFO.getLong(scratch, "l2_cache_bytes"),
                DEVICE_INFO.getLong(scratch, "shared_memory_per_block_bytes"),
                DEVICE_INFO.getLong(scratch, "shared_memory_per_block_optin_bytes"),
                DEVICE_INFO.getLong(scratch, "shared_memory_per_multiprocessor_bytes"));
    }

    private static Optional<UUID> uuid(Scratch scratch) {
        if (DEVICE_INFO.getInt(scratch, "has_uuid") == 0) {
            return Optional.empty();
        }
        ByteBuffer bytes = ByteBuffer.wrap(DEVICE_INFO.getBytes(scratch, "uuid"));
        return Optional.of(new UUID(bytes.getLong(), bytes.getLong()));
    }

    private static Optional<PciAddress> pciAddress(Scratch scratch) {
        if (DEVICE_INFO.getInt(scratch, "has_pci") == 0) {
            return Optional.empty();
        }
        return Optional.of(new PciAddress(
                DEVICE_INFO.getInt(scratch, "pci_domain"),
                DEVICE_INFO.getInt(scratch, "pci_bus"),
                DEVICE_INFO.getInt(scratch, "pci_device")));
    }
}
