// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/**
 * Makes a device current on the calling thread until it is closed:
 *
 * <pre>{@code
 * try (DeviceScope scope = device.scope()) {
 *     Stream stream = Stream.create();      // on device
 * }
 * }</pre>
 *
 * <p>Closing restores the device that was current before, without creating a context for it. Current streams stay as
 * they are; {@link StreamScope} changes both. Scopes of both kinds nest. They end on the thread that opened them, the
 * innermost first; anything else throws {@link GpuStreamException} with SCOPE and changes nothing. Virtual threads
 * cannot open scopes (NOT_PERMITTED). No method blocks, but a device's first use may take seconds on CUDA.
 */
public final class DeviceScope extends ThreadScope {
    private final int previous;

    private DeviceScope(Scratch scratch, int previous) {
        super(scratch, --scratch.lastOwnScope);
        this.previous = previous;
    }

    /** Opens a scope in which the device with the library's {@code number} is current. */
    static DeviceScope open(int number) {
        Failure.requirePlatformThread("Device.scope");
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.exchangeDevice(number, scratch.address));
        return new DeviceScope(scratch, scratch.getInt());
    }

    @Override
    int restore(long scope) {
        return Native.CALLS.exchangeDevice(previous, Scratch.get().address);
    }
}
