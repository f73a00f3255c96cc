// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/** Settings for a new stream: {@link Stream#builder()}. Not for use by several threads at once. */
public final class StreamBuilder {
    private int device = Native.DEVICE_CURRENT;
    private int priority;
    private int flags;

    StreamBuilder() {}

    /** The device; the calling thread's current one if not set. */
    public StreamBuilder device(Device device) {
        this.device = Device.numberOf(device);
        return this;
    }

    /** The priority; lower is higher, out of range is clamped ({@link Device#priorityRange()}). 0 if not set. */
    public StreamBuilder priority(int priority) {
        this.priority = priority;
        return this;
    }

    /** The stream joins the implicit order of the device's default stream. */
    public StreamBuilder blocking() {
        return flag(StreamFlag.BLOCKING);
    }

    /** The stream comes from a pool of 32, handed out in turn: others may use the same driver stream. */
    public StreamBuilder shared() {
        return flag(StreamFlag.SHARED);
    }

    /** The stream is a driver stream of its own that is really destroyed in the end. */
    public StreamBuilder dedicated() {
        return flag(StreamFlag.DEDICATED);
    }

    /** One more flag. */
    public StreamBuilder flag(StreamFlag flag) {
        flags |= Objects.requireNonNull(flag, "flag").bit;
        return this;
    }

    /**
     * A new stream. Does not block, but the first use of a device may take long (on CUDA up to seconds).
     *
     * @throws GpuStreamException INVALID_ARGUMENT (shared and dedicated exclude each other), INVALID_DEVICE,
     *     UNAVAILABLE, OUT_OF_MEMORY, DRIVER, STICKY, CONTEXT_LOST, SYSTEM, CAPTURING
     */
    public Stream build() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.STREAMS.streamCreate(device, priority, flags, scratch.address));
        return new Stream(scratch.getLong(), true);
    }
}
