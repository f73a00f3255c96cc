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
public final class DeviceScope implements AutoCloseable {
    private final Scratch scratch;
    private final long outer;
    private final int previous;
    private long scope; // 0 once ended; accessed by its thread only, which ScopeOrder makes sure of

    private DeviceScope(Scratch scratch, int previous) {
        this.scratch = scratch;
        this.previous = previous;
        outer = scratch.innermostScope;
        scope = --scratch.lastOwnScope;
        scratch.innermostScope = scope;
    }

    /** Opens a scope in which the device with the library's {@code number} is current. */
    static DeviceScope open(int number) {
        Failure.requirePlatformThread("Device.scope");
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.exchangeDevice(number, scratch.address));
        return new DeviceScope(scratch, scratch.getInt());
    }

    /** {@return whether it has not ended} */
    public boolean isOpen() {
        return scope != 0;
    }

    /**
     * Ends the scope. Later calls do nothing.
     *
     * @throws GpuStreamException SCOPE if this is another thread's scope or another one is open inside it: nothing has
     *     changed then and it is still open. Another status is the driver's: the scope has ended all the same
     */
    @Override
    public void close() {
        if (scope != 0) {
            ScopeOrder.requireInnermost(scratch, scope);
            scratch.innermostScope = outer;
            scope = 0;
            Failure.check(Native.CALLS.maybeExchangeDevice(previous, Scratch.get().address));
        }
    }
}
