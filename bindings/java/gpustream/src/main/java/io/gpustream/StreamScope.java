// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;

/**
 * Makes a stream, and its device, current on the calling thread until it is closed:
 *
 * <pre>{@code
 * try (StreamScope scope = stream.scope()) {
 *     event.record();      // in stream
 * }
 * }</pre>
 *
 * <p>Closing restores the device, the streams and the driver's context that were current before. Scopes nest, also with
 * those of {@link DeviceScope}. They end
 * on the thread that opened them, the innermost first; anything else throws {@link GpuStreamException} with SCOPE and
 * changes nothing. Virtual threads cannot open scopes (NOT_PERMITTED). While a scope is open the library keeps its
 * stream alive. A scope that is never closed stays open. No method blocks.
 */
public final class StreamScope extends ThreadScope {
    private StreamScope(Scratch scratch, long scope) {
        super(scratch, scope);
    }

    /**
     * Opens a scope. Allocates nothing but this object.
     *
     * @param stream the stream to make current
     * @return the scope
     * @throws GpuStreamException NOT_PERMITTED on a virtual thread; the driver's statuses where the device changes
     * @throws IllegalStateException if the stream is closed
     */
    public static StreamScope open(Stream stream) {
        long number = HandleOwner.numberOf(stream, "stream");
        Failure.requirePlatformThread("StreamScope.open");
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.pushCurrentStream(number, scratch.address), stream);
        return new StreamScope(scratch, scratch.getLong());
    }

    /**
     * Ends this scope and all inside it that did not end in order, scopes of devices too. For error paths.
     *
     * @throws GpuStreamException SCOPE if this is another thread's scope, or it has ended already
     */
    public void unwind() {
        ended(Native.CALLS.unwindCurrentStream(requireOpen()));
    }

    @Override
    int restore(long scope) {
        return Native.CALLS.popCurrentStream(scope);
    }
}
