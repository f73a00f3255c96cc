// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A device: a backend and an ordinal. A value: two devices with the same parts are equal. Whether a device exists is
 * checked by the calls that use it.
 *
 * <p>Every thread of the operating system has a current device. It starts as the device of the driver's current
 * context, else device 0 of the default backend. All languages of the process see the same. Methods that change it are
 * refused on virtual threads ({@link Status#NOT_PERMITTED}), which have no thread of their own.
 *
 * <p>Any thread may call any method. Only {@link #synchronize()} waits for device work. Methods that call the library
 * throw {@link GpuStreamException}. Its documentation lists the statuses of all methods; those of this class add
 * INVALID_DEVICE if the device is missing, and UNAVAILABLE if this machine cannot use the backend.
 */
public final class Device extends DeviceTelemetry {
    private final Backend backend;
    private final int ordinal;

    private Device(Backend backend, int ordinal, int number) {
        super(number);
        this.backend = backend;
        this.ordinal = ordinal;
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

    /**
     * {@return the device that a failed call was given, else that of its stream or event; empty if no device is known}
     *
     * @param failure of any call
     */
    public static Optional<Device> of(GpuStreamException failure) {
        int number = Objects.requireNonNull(failure, "failure").deviceNumber();
        return number >= 0 ? Optional.of(fromNumber(number)) : Optional.empty();
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
        return Call.forInt(out -> Native.CALLS.deviceCount(0, out));
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
        return fromNumber(Call.forInt(out -> Native.CALLS.currentDevice(out)));
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
     * As {@link #setCurrent()}, but a device that cannot be used any more becomes current all the same, and its next use
     * reports that.
     *
     * @return the device that was current
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread
     */
    public Device exchange() {
        Failure.requirePlatformThread("Device.exchange");
        return fromNumber(Call.forInt(out -> Native.CALLS.exchangeDevice(number, out)));
    }

    /**
     * Waits until all work submitted to the device before the call is done, including other libraries'. Blocks the
     * thread, and the carrier of a virtual one; interrupts have no effect until it returns.
     *
     * @throws GpuStreamException also SYNC_FORBIDDEN ({@link SyncDebugMode#ERROR} with {@link SyncDebugScope#ALL}),
     *     CAPTURING
     */
    public void synchronize() {
        Waits.blocking("Device.synchronize", number, device -> Native.CALLS.deviceSynchronize((int) device), this);
    }

    /**
     * Compares the device's clock with the host's, for {@link Event#hostTime}. Blocks until the device has done a few
     * records in an idle stream: some ten microseconds.
     *
     * @return how exact the comparison is, in nanoseconds
     */
    public long calibrate() {
        return Call.forLong(out -> Native.CALLS.deviceCalibrate(number, out));
    }

    /**
     * Waits until all work submitted to the device before the call is done, for a limited time and until the thread is
     * interrupted. A virtual thread leaves its carrier while it waits. A limit that passes, or an interrupt, changes
     * nothing.
     *
     * @param limit the longest wait, not negative; zero only asks
     * @return whether the work is done
     * @throws InterruptedException if the thread is interrupted, before or while it waits
     * @throws GpuStreamException as {@link #synchronize()}; NOT_SUPPORTED (CUDA before 12.5)
     */
    public boolean synchronize(Duration limit) throws InterruptedException {
        return Waits.inSlices(
                "Device.synchronize", number, limit, nanos -> Native.CALLS.deviceSynchronizeFor(number, nanos));
    }

    /**
     * Checks that the device's context is alive and free of sticky errors. Creates no context.
     *
     * @throws GpuStreamException CONTEXT_LOST, STICKY
     */
    public void check() {
        Failure.check(Native.CALLS.deviceCheck(number));
    }

    /**
     * Resets the device: destroys its primary context, with all that any code in the process has created in it. For
     * gpustream the device is gone permanently: each later use of it or of its objects fails with CONTEXT_LOST, on every
     * thread. A device without a context is left as it is. Blocks as {@link #synchronize()} does, and until other
     * threads' calls on its objects have returned. Other libraries must not use what they have of it at the same time or
     * later.
     *
     * <p>On CUDA the device's {@link HostMemory} and {@link HostBuffer}s end, too. Their segments end first: later accesses
     * to them throw IllegalStateException. Their direct buffers become invalid, which Java cannot check.
     *
     * @throws GpuStreamException as {@link #synchronize()}; CONTEXT_LOST if it was reset before
     * @throws IllegalStateException if a foreign function or a channel is working on a segment of its memory; it is not
     *     reset then, though other segments may have ended
     */
    public void reset() {
        if (backend == Backend.HOST) { // its memory is ordinary memory, which no reset ends
            Failure.check(Native.CALLS.deviceReset(number));
        } else {
            ResetDevices.reset(number);
        }
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
        int other = Objects.requireNonNull(peer, "peer").number;
        return Call.forInt(out -> Native.CALLS.deviceCanAccessPeer(number, other, out)) != 0;
    }

    /** {@return the range of stream priorities; on CUDA creates the device's primary context if there is none} */
    public PriorityRange priorityRange() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.devicePriorityRange(number, scratch.at(0), scratch.at(4)));
        return new PriorityRange(scratch.getInt(0), scratch.getInt(4));
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
