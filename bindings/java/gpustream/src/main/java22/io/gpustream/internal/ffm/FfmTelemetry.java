// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.TelemetryCalls;
import java.lang.invoke.MethodHandle;

/** The inventory of the machine, and how busy devices are. One static handle per function,
        which the compiler of the virtual machine sees through. */
final class FfmTelemetry implements TelemetryCalls {
    private static final MethodHandle INVENTORY_COUNT =
            Symbols.plain("gs_inventory_count", int.class, long.class, long.class);
    private static final MethodHandle INVENTORY_GET =
            Symbols.plain("gs_inventory_get", int.class, int.class, long.class);
    private static final MethodHandle INVENTORY_INDEX =
            Symbols.plain("gs_inventory_index", int.class, int.class, long.class);
    private static final MethodHandle PARSE_VISIBLE_DEVICES =
            Symbols.plain("gs_parse_visible_devices", int.class, long.class, long.class);
    private static final MethodHandle MATCH_UUIDS =
            Symbols.plain("gs_match_uuids", int.class, long.class, long.class, long.class);
    private static final MethodHandle DEVICE_UTILIZATION_PERCENT =
            Symbols.plain("gs_device_utilization_percent", int.class, int.class, long.class);
    private static final MethodHandle DEVICE_MEMORY_UTILIZATION_PERCENT =
            Symbols.plain("gs_device_memory_utilization_percent", int.class, int.class, long.class);
    private static final MethodHandle DEVICE_TEMPERATURE_CELSIUS =
            Symbols.plain("gs_device_temperature_celsius", int.class, int.class, long.class);
    private static final MethodHandle DEVICE_POWER_MILLIWATTS =
            Symbols.plain("gs_device_power_milliwatts", int.class, int.class, long.class);
    private static final MethodHandle DEVICE_SM_CLOCK_MHZ =
            Symbols.plain("gs_device_sm_clock_mhz", int.class, int.class, long.class);
    private static final MethodHandle DEVICE_MEMORY_BYTES =
            Symbols.plain("gs_device_memory_bytes", int.class, int.class, long.class, long.class, long.class);
    private static final MethodHandle ARCH_LIST = Symbols.plain("gs_arch_list", long.class, int.class);
    private static final MethodHandle GENCODE_FLAGS = Symbols.plain("gs_gencode_flags", long.class, int.class);
    private static final MethodHandle CURRENT_BLAS_HANDLE =
            Symbols.plain("gs_current_blas_handle", int.class, long.class);

    @Override
    public int inventoryCount(long outGpus, long outEntries) {
        try {
            return (int) INVENTORY_COUNT.invokeExact(outGpus, outEntries);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int inventoryGet(int index, long outEntry) {
        try {
            return (int) INVENTORY_GET.invokeExact(index, outEntry);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int inventoryIndex(int device, long outIndex) {
        try {
            return (int) INVENTORY_INDEX.invokeExact(device, outIndex);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int parseVisibleDevices(long value, long outList) {
        try {
            return (int) PARSE_VISIBLE_DEVICES.invokeExact(value, outList);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int matchUuids(long candidates, long uuids, long outList) {
        try {
            return (int) MATCH_UUIDS.invokeExact(candidates, uuids, outList);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceUtilizationPercent(int device, long outPercent) {
        try {
            return (int) DEVICE_UTILIZATION_PERCENT.invokeExact(device, outPercent);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceMemoryUtilizationPercent(int device, long outPercent) {
        try {
            return (int) DEVICE_MEMORY_UTILIZATION_PERCENT.invokeExact(device, outPercent);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceTemperatureCelsius(int device, long outCelsius) {
        try {
            return (int) DEVICE_TEMPERATURE_CELSIUS.invokeExact(device, outCelsius);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int devicePowerMilliwatts(int device, long outMilliwatts) {
        try {
            return (int) DEVICE_POWER_MILLIWATTS.invokeExact(device, outMilliwatts);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceSmClockMhz(int device, long outMhz) {
        try {
            return (int) DEVICE_SM_CLOCK_MHZ.invokeExact(device, outMhz);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int deviceMemoryBytes(int device, long outUsed, long outFree, long outTotal) {
        try {
            return (int) DEVICE_MEMORY_BYTES.invokeExact(device, outUsed, outFree, outTotal);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public String archList(int backend) {
        try {
            return Symbols.text((long) ARCH_LIST.invokeExact(backend));
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public String gencodeFlags(int backend) {
        try {
            return Symbols.text((long) GENCODE_FLAGS.invokeExact(backend));
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int currentBlasHandle(long outHandle) {
        try {
            return (int) CURRENT_BLAS_HANDLE.invokeExact(outHandle);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}
