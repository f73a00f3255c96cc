// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

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
        return telemetry(Native.CALLS::inventoryIndex);
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
        return telemetry(Native.CALLS::deviceUtilizationPercent);
    }

    /**
     * {@return the share of the last sample period in which memory was read or written, 0 to 100 %}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int memoryUtilizationPercent() {
        return telemetry(Native.CALLS::deviceMemoryUtilizationPercent);
    }

    /**
     * {@return temperature of the GPU's core, degrees Celsius}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int temperatureCelsius() {
        return telemetry(Native.CALLS::deviceTemperatureCelsius);
    }

    /**
     * {@return power drawn, milliwatts}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int powerMilliwatts() {
        return telemetry(Native.CALLS::devicePowerMilliwatts);
    }

    /**
     * {@return present clock of the multiprocessors, MHz}
     *
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public int smClockMhz() {
        return telemetry(Native.CALLS::deviceSmClockMhz);
    }

    /**
     * Returns how much of the memory is in use, by all processes. Creates no context: where NVML does not measure it,
     * the driver is asked on a device that has one.
     *
     * @return sizes in bytes, of one moment
     * @throws GpuStreamException as {@link Device#utilizationPercent()}
     */
    public MemoryUsage memoryBytes() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.deviceMemoryBytes(number, scratch.at(0), scratch.at(8), scratch.at(16)));
        return new MemoryUsage(scratch.getLong(0), scratch.getLong(8), scratch.getLong(16));
    }

    private interface Measurement {
        int take(int device, long outNumber);
    }

    private int telemetry(Measurement measurement) {
        Scratch scratch = Scratch.get();
        Failure.check(measurement.take(number, scratch.address));
        return scratch.getInt();
    }
}
