// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/**
 * A device: a backend and an ordinal. A value: two devices with the same parts are equal. That a device exists is
 * checked by the calls that use it.
 *
 * <p>Every thread of the operating system has a current device; it starts as the device of the driver's current
 * context, else device 0 of the default backend. All languages of the process see the same. Methods that change it are
 * refused on virtual threads ({@link Status#NOT_PERMITTED}), which have no thread of their own.
 *
 * <p>Methods that ask the library throw {@link GpuStreamException} with UNAVAILABLE if the backend cannot be used on
 * this machine, INVALID_DEVICE if there is no such device, DRIVER, STICKY, CONTEXT_LOST or SYSTEM if the driver fails.
 */
public final class Device {
    private final Backend backend;
    private final int ordinal;
    // Both parts in one number, as the library takes it.
    final int number;

    private Device(Backend backend, int ordinal, int number) {
        this.backend = backend;
        this.ordinal = ordinal;
        this.number = number;
    }

    /**
     * A device of the default backend.
     *
     * @param ordinal 0 to 65535
     * @throws IllegalArgumentException if the ordinal is out of that range
     */
    public static Device of(int ordinal) {
        return of(Backend.defaultBackend(), ordinal);
    }

    /**
     * A device of a backend.
     *
     * @param ordinal 0 to 65535
     * @throws IllegalArgumentException if the ordinal is out of that range
     */
    public static Device of(Backend backend, int ordinal) {
        Objects.requireNonNull(backend, "backend");
        int number = Native.DEVICES.deviceMake(backend.code(), ordinal);
        if (number == Native.DEVICE_NONE) {
            throw new IllegalArgumentException("a device's ordinal is 0 to 65535, not " + ordinal);
        }
        return new Device(backend, ordinal, number);
    }

    /** The device that the library calls {@code number}: plain, or with its backend. */
    static Device fromNumber(int number) {
        int backend = Native.DEVICES.deviceBackend(number);
        int ordinal = Native.DEVICES.deviceOrdinal(number);
        return of(backend == 0 ? Backend.defaultBackend() : Backend.of(backend), ordinal);
    }

    static int numberOf(Device device) {
        return Objects.requireNonNull(device, "device").number;
    }

    /** The number of devices of the default backend. Starts nothing. Any thread. */
    public static int count() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.DEVICES.deviceCount(0, scratch.address));
        return scratch.getInt();
    }

    /**
     * The number of devices of a backend. Starts nothing: before the backend has started, CUDA's devices are counted by the
     * driver if another library has initialised it, else by NVML, else by the system's device nodes, which may be too many.
     * Any thread.
     */
    public static int count(Backend backend) {
        return Objects.requireNonNull(backend, "backend").deviceCount();
    }

    /** The calling thread's current device; on a virtual thread its carrier's. Creates no context. */
    public static Device current() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.DEVICES.currentDevice(scratch.address));
        return fromNumber(scratch.getInt());
    }

    /**
     * Makes this the calling thread's current device. Current streams stay. The driver's current context changes along
     * only if the device's primary context exists already.
     */
    public void setCurrent() {
        Threads.requirePlatformThread("Device.setCurrent");
        Failure.check(Native.DEVICES.setCurrentDevice(number));
    }

    /** Makes this the calling thread's current device and returns the previous one. */
    public Device exchange() {
        Threads.requirePlatformThread("Device.exchange");
        Scratch scratch = Scratch.get();
        Failure.check(Native.DEVICES.exchangeDevice(number, scratch.address));
        return fromNumber(scratch.getInt());
    }

    /**
     * Makes this the calling thread's current device at the end of a scope, and returns the previous one. As
     * {@link #exchange()}, but a device that cannot be used any more becomes current all the same: its next use says so.
     */
    public Device maybeExchange() {
        Threads.requirePlatformThread("Device.maybeExchange");
        Scratch scratch = Scratch.get();
        Failure.check(Native.DEVICES.maybeExchangeDevice(number, scratch.address));
        return fromNumber(scratch.getInt());
    }

    /**
     * Waits until all work submitted to the device before the call is done, whoever submitted it. Blocks the thread
     * (and the carrier of a virtual one); interrupts have no effect until it returns.
     *
     * @throws GpuStreamException also SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR} with {@link SyncDebugScope#ALL}),
     *     CAPTURING
     */
    public void synchronize() {
        Failure.check(Native.DEVICES.deviceSynchronize(number));
    }

    /** Checks that the device's context is alive and free of sticky errors; throws what it finds. Does not block. */
    public void check() {
        Failure.check(Native.DEVICES.deviceCheck(number));
    }

    /** The device's properties. Creates no context; does not block. */
    public DeviceInfo info() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.DEVICES.deviceGetInfo(number, Layouts.DEVICE_INFO.prepare(scratch)));
        return DeviceInfo.read(scratch);
    }

    /** Whether kernels on this device can access the other one's memory directly; false for a device and itself. */
    public boolean canAccessPeer(Device peer) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.DEVICES.deviceCanAccessPeer(
                number, Objects.requireNonNull(peer, "peer").number, scratch.address));
        return scratch.getInt() != 0;
    }

    /** The range of stream priorities. On CUDA creates the device's primary context if there is none. */
    public PriorityRange priorityRange() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.DEVICES.devicePriorityRange(number, scratch.at(0), scratch.at(4)));
        return new PriorityRange(scratch.getInt(0), scratch.getInt(4));
    }

    /**
     * The device's entry in the machine's {@link Inventory}. Starts nothing.
     *
     * @throws GpuStreamException NOT_SUPPORTED (not a CUDA device, or which GPU it is cannot be known before the
     *     backend is started), UNAVAILABLE (no management library), DRIVER
     */
    public int inventoryIndex() {
        return telemetry(Native.TELEMETRY::inventoryIndex);
    }

    /**
     * Share of the last sample period in which a kernel ran, 0 to 100 %. This and the other measurements start nothing.
     *
     * @throws GpuStreamException NOT_SUPPORTED (not measured here), UNAVAILABLE (no management library),
     *     INVALID_DEVICE, DRIVER
     */
    public int utilizationPercent() {
        return telemetry(Native.TELEMETRY::deviceUtilizationPercent);
    }

    /** Share of the last sample period in which memory was read or written, 0 to 100 %. */
    public int memoryUtilizationPercent() {
        return telemetry(Native.TELEMETRY::deviceMemoryUtilizationPercent);
    }

    /** Temperature, degrees Celsius. */
    public int temperatureCelsius() {
        return telemetry(Native.TELEMETRY::deviceTemperatureCelsius);
    }

    /** Power drawn, milliwatts. */
    public int powerMilliwatts() {
        return telemetry(Native.TELEMETRY::devicePowerMilliwatts);
    }

    /** Present clock of the multiprocessors, MHz. */
    public int smClockMhz() {
        return telemetry(Native.TELEMETRY::deviceSmClockMhz);
    }

    /**
     * How much of the memory is in use, by all processes. Creates no context: where NVML does not measure it, the driver
     * is asked on a device that has one.
     *
     * @throws GpuStreamException NOT_SUPPORTED if neither tells
     */
    public MemoryUsage memoryBytes() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.TELEMETRY.deviceMemoryBytes(number, scratch.at(0), scratch.at(8), scratch.at(16)));
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

    /** The kind of device. */
    public Backend backend() {
        return backend;
    }

    /** The number within the backend, from 0. */
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

    /** Such as "cuda:0". */
    @Override
    public String toString() {
        return backend.name().toLowerCase(java.util.Locale.ROOT) + ":" + ordinal;
    }
}
