// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/**
 * A device: a backend and an ordinal. A value: two devices with the same parts are equal. Whether a device exists is
 * checked by the calls that use it.
 *
 * <p>Every thread of the operating system has a current device. It starts as the device of the driver's current
 * context, else device 0 of the default backend. All languages of the process see the same. Methods that change it are
 * refused on virtual threads ({@link Status#NOT_PERMITTED}), which have no thread of their own.
 *
 * <p>Any thread may call any method. Only {@link #synchronize()} waits for device work. Methods that call the library
 * throw {@link GpuStreamException} with INVALID_DEVICE if there is no such device, UNAVAILABLE if the backend cannot be
 * used on this machine, and with the statuses that that class lists for all methods.
 */
public final class Device {
    private final Backend backend;
    private final int ordinal;
    final int number; // both parts, as the library takes them

    private Device(Backend backend, int ordinal, int number) {
        this.backend = backend;
        this.ordinal = ordinal;
        this.number = number;
    }

    /**
     * {@return a device of the default backend}
     *
     * @param ordinal 0 to 65535
     * @throws IllegalArgumentException if the ordinal is out of that range
     */
    public static Device of(int ordinal) {
        return of(Backend.defaultBackend(), ordinal);
    }

    /**
     * {@return a device of a backend}
     *
     * @param backend the kind of device
     * @param ordinal 0 to 65535
     * @throws IllegalArgumentException if the ordinal is out of that range
     */
    public static Device of(Backend backend, int ordinal) {
        Objects.requireNonNull(backend, "backend");
        int number = Native.CALLS.deviceMake(backend.code(), ordinal);
        if (number == Constants.DEVICE_NONE) {
            throw new IllegalArgumentException("a device's ordinal is 0 to 65535, not " + ordinal);
        }
        return new Device(backend, ordinal, number);
    }

    /** The device with the library's {@code number}: a plain ordinal, or one qualified with its backend. */
    static Device fromNumber(int number) {
        int backend = Native.CALLS.deviceBackend(number);
        int ordinal = Native.CALLS.deviceOrdinal(number);
        return of(backend == 0 ? Backend.defaultBackend() : Backend.of(backend), ordinal);
    }

    static int numberOf(Device device) {
        return Objects.requireNonNull(device, "device").number;
    }

    /** {@return the number of devices of the default backend; starts nothing} */
    public static int count() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.deviceCount(0, scratch.address));
        return scratch.getInt();
    }

    /**
     * Counts the devices of a backend. Starts nothing: before the backend has started, the driver counts CUDA's devices
     * if another library has initialised it, else NVML; else the system's device nodes are counted, which may be too
     * many.
     *
     * @param backend the kind of device
     * @return 0 or more; trouble with the driver counts as 0
     */
    public static int count(Backend backend) {
        return Objects.requireNonNull(backend, "backend").deviceCount();
    }

    /** {@return the calling thread's current device; on a virtual thread its carrier's. Creates no context} */
    public static Device current() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.currentDevice(scratch.address));
        return fromNumber(scratch.getInt());
    }

    /**
     * Makes this the calling thread's current device. Current streams stay. The driver's current context changes along
     * only if the device's primary context exists already.
     *
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public void setCurrent() {
        Failure.requirePlatformThread("Device.setCurrent");
        Failure.check(Native.CALLS.setCurrentDevice(number));
    }

    /**
     * Opens a scope in which this device is current: {@code try (var scope = device.scope()) {...}}.
     *
     * @return the scope, to be closed by this thread
     * @throws GpuStreamException as {@link #setCurrent()}
     */
    public DeviceScope scope() {
        return DeviceScope.open(number);
    }

    /**
     * As {@link #setCurrent()}.
     *
     * @return the device that was current
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public Device exchange() {
        Failure.requirePlatformThread("Device.exchange");
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.exchangeDevice(number, scratch.address));
        return fromNumber(scratch.getInt());
    }

    /**
     * As {@link #exchange()}, for the end of a scope: a device that cannot be used any more becomes current all the
     * same, and its next use reports that.
     *
     * @return the device that was current
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public Device maybeExchange() {
        Failure.requirePlatformThread("Device.maybeExchange");
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.maybeExchangeDevice(number, scratch.address));
        return fromNumber(scratch.getInt());
    }

    /**
     * Waits until all work submitted to the device before the call is done, including other libraries'. Blocks the
     * thread, and the carrier of a virtual one; interrupts have no effect until it returns.
     *
     * @throws GpuStreamException also SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR} with {@link SyncDebugScope#ALL}),
     *     CAPTURING
     */
    public void synchronize() {
        Failure.check(Native.CALLS.deviceSynchronize(number));
    }

    /**
     * Checks that the device's context is alive and free of sticky errors. Creates no context.
     *
     * @throws GpuStreamException CONTEXT_LOST, STICKY
     */
    public void check() {
        Failure.check(Native.CALLS.deviceCheck(number));
    }

    /** {@return the device's properties; creates no context} */
    public DeviceInfo info() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.deviceGetInfo(number, Layouts.DEVICE_INFO.prepare(scratch)));
        return DeviceInfo.read(scratch);
    }

    /**
     * Returns whether kernels on this device can access another one's memory directly.
     *
     * @param peer the other device
     * @return false for a device and itself, and for devices of different backends
     */
    public boolean canAccessPeer(Device peer) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.deviceCanAccessPeer(
                number, Objects.requireNonNull(peer, "peer").number, scratch.address));
        return scratch.getInt() != 0;
    }

    /** {@return the range of stream priorities; on CUDA creates the device's primary context if there is none} */
    public PriorityRange priorityRange() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.devicePriorityRange(number, scratch.at(0), scratch.at(4)));
        return new PriorityRange(scratch.getInt(0), scratch.getInt(4));
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
     * @throws GpuStreamException as {@link #utilizationPercent()}
     */
    public int memoryUtilizationPercent() {
        return telemetry(Native.CALLS::deviceMemoryUtilizationPercent);
    }

    /**
     * {@return temperature of the GPU's core, degrees Celsius}
     *
     * @throws GpuStreamException as {@link #utilizationPercent()}
     */
    public int temperatureCelsius() {
        return telemetry(Native.CALLS::deviceTemperatureCelsius);
    }

    /**
     * {@return power drawn, milliwatts}
     *
     * @throws GpuStreamException as {@link #utilizationPercent()}
     */
    public int powerMilliwatts() {
        return telemetry(Native.CALLS::devicePowerMilliwatts);
    }

    /**
     * {@return present clock of the multiprocessors, MHz}
     *
     * @throws GpuStreamException as {@link #utilizationPercent()}
     */
    public int smClockMhz() {
        return telemetry(Native.CALLS::deviceSmClockMhz);
    }

    /**
     * Returns how much of the memory is in use, by all processes. Creates no context: where NVML does not measure it,
     * the driver is asked on a device that has one.
     *
     * @return sizes in bytes, of one moment
     * @throws GpuStreamException as {@link #utilizationPercent()}
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

    /** {@return the kind of device} */
    public Backend backend() {
        return backend;
    }

    /** {@return the number within the backend, from 0} */
    public int ordinal() {
        return ordinal;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Device device && device.backend == backend && device.ordinal == ordinal;
    }

    @Override
    public int hashCode() {
        return backend.code() << 16 | ordinal;
    }

    /** {@return backend and ordinal, such as "cuda:0"} */
    @Override
    public String toString() {
        return backend.name().toLowerCase(java.util.Locale.ROOT) + ":" + ordinal;
    }
}
