// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.TelemetryCalls;

/** The inventory of the machine, and how busy devices are. Calls the methods that SWIG generated. */
final class JniTelemetry implements TelemetryCalls {
    @Override
    public int inventoryCount(long outGpus, long outEntries) {
        return GpustreamJni.gs_inventory_count(outGpus, outEntries);
    }

    @Override
    public int inventoryGet(int index, long outEntry) {
        return GpustreamJni.gs_inventory_get(index, outEntry);
    }

    @Override
    public int inventoryIndex(int device, long outIndex) {
        return GpustreamJni.gs_inventory_index(device, outIndex);
    }

    @Override
    public int parseVisibleDevices(long value, long outList) {
        return GpustreamJni.gs_parse_visible_devices(value, outList);
    }

    @Override
    public int matchUuids(long candidates, long uuids, long outList) {
        return GpustreamJni.gs_match_uuids(candidates, uuids, outList);
    }

    @Override
    public int deviceUtilizationPercent(int device, long outPercent) {
        return GpustreamJni.gs_device_utilization_percent(device, outPercent);
    }

    @Override
    public int deviceMemoryUtilizationPercent(int device, long outPercent) {
        return GpustreamJni.gs_device_memory_utilization_percent(device, outPercent);
    }

    @Override
    public int deviceTemperatureCelsius(int device, long outCelsius) {
        return GpustreamJni.gs_device_temperature_celsius(device, outCelsius);
    }

    @Override
    public int devicePowerMilliwatts(int device, long outMilliwatts) {
        return GpustreamJni.gs_device_power_milliwatts(device, outMilliwatts);
    }

    @Override
    public int deviceSmClockMhz(int device, long outMhz) {
        return GpustreamJni.gs_device_sm_clock_mhz(device, outMhz);
    }

    @Override
    public int deviceMemoryBytes(int device, long outUsed, long outFree, long outTotal) {
        return GpustreamJni.gs_device_memory_bytes(device, outUsed, outFree, outTotal);
    }

    @Override
    public String archList(int backend) {
        return GpustreamJni.gs_arch_list(backend);
    }

    @Override
    public String gencodeFlags(int backend) {
        return GpustreamJni.gs_gencode_flags(backend);
    }

    @Override
    public int currentBlasHandle(long outHandle) {
        return GpustreamJni.gs_current_blas_handle(outHandle);
    }
}
