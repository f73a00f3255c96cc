// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/** What is measured of a {@link Device}. Links name that class, as some versions of Javadoc do not find this one. */
abstract class DeviceTelemetry {
    final int number; // backend and ordinal, as the library takes them

    DeviceTelemetry(int number) {
        this.number = number;
    }

    /**
     * Returns the device's entry in the machine's {@link Inventory}. Starts nothing.
     *
     * @return an index for {@link Inventory#get}
     * @throws GpuStreamException NOT_SUPPORTED (not a CUDA device, or which GPU it is cannot be known before the
     *     backend is started), UNAVAILABLE (no management library), DRIVER
     */
    public int inventoryIndex() {
        return Call.forInt(out -> Native.CALLS.inventoryIndex(number, out));
    }

    /**
     * Returns the share of the last sample period in which a kernel ran. This and the other measurements ask NVML,
     * which may take milliseconds, and start nothing.
     *
     * @return 0 to 100 %
     * @throws GpuStreamException NOT_SUPPORTED (not measured here), UNAVAILABLE (no management library),
     *     INVALID_DEVICE, DRIVER
     */
    public int utilizationPercent() {
        return Layouts.TELEMETRY.getInt(telemetry(Constants.TELEMETRY_UTILIZATION), "utilization_percent");
    }

    /**
     * {@return the share of the last sample period in which memory was read or written, 0 to 100 %}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int memoryUtilizationPercent() {
        return Layouts.TELEMETRY.getInt(telemetry(Constants.TELEMETRY_MEMORY_UTILIZATION), "memory_utilization_percent");
    }

    /**
     * {@return temperature of the GPU's core, degrees Celsius}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int temperatureCelsius() {
        return Layouts.TELEMETRY.getInt(telemetry(Constants.TELEMETRY_TEMPERATURE), "temperature_celsius");
    }

    /**
     * {@return power drawn, milliwatts}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int powerMilliwatts() {
        return Layouts.TELEMETRY.getInt(telemetry(Constants.TELEMETRY_POWER), "power_milliwatts");
    }

    /**
     * {@return present clock of the multiprocessors, MHz}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int smClockMhz() {
        return Layouts.TELEMETRY.getInt(telemetry(Constants.TELEMETRY_SM_CLOCK), "sm_clock_mhz");
    }

    /**
     * Returns how much of the memory is in use, by all processes. Creates no context: where NVML lacks the number, a device
     * that has a context is asked through the driver.
     *
     * @return sizes in bytes, of one moment
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public MemoryUsage memoryBytes() {
        Scratch found = telemetry(Constants.TELEMETRY_MEMORY);
        return new MemoryUsage(
                Layouts.TELEMETRY.getLong(found, "memory_used_bytes"),
                Layouts.TELEMETRY.getLong(found, "memory_free_bytes"),
                Layouts.TELEMETRY.getLong(found, "memory_total_bytes"));
    }

    private Scratch telemetry(int field) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.deviceGetTelemetry(number, field, Layouts.TELEMETRY.prepare(scratch)));
        return scratch;
    }
}
