// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/** Settings for a new stream: {@link Stream#builder()}. Not for use by several threads at once. */
public final class StreamBuilder {
    private int device = Constants.DEVICE_CURRENT;
    private int priority;
    private int flags;

    StreamBuilder() {}

    /**
     * Sets the device; the calling thread's current one if not set.
     *
     * @param device where
     * @return this
     */
    public StreamBuilder device(Device device) {
        this.device = Device.numberOf(device);
        return this;
    }

    /**
     * Sets the priority; 0 if not set.
     *
     * @param priority lower is higher; clamped to {@link Device#priorityRange()}
     * @return this
     */
    public StreamBuilder priority(int priority) {
        this.priority = priority;
        return this;
    }

    /**
     * Sets the priority by level, whatever numbers the device has; {@link Stream#priority()} returns the number.
     *
     * @param level which
     * @return this
     */
    public StreamBuilder priority(PriorityLevel level) {
        return priority(Objects.requireNonNull(level, "level").priority);
    }

    /**
     * Sets {@link StreamFlag#BLOCKING}: the stream joins the implicit order of the device's default stream.
     *
     * @return this
     */
    public StreamBuilder blocking() {
        return flag(StreamFlag.BLOCKING);
    }

    /**
     * Sets {@link StreamFlag#SHARED}: others may use the same driver stream.
     *
     * @return this
     */
    public StreamBuilder shared() {
        return flag(StreamFlag.SHARED);
    }

    /**
     * Sets {@link StreamFlag#DEDICATED}: a driver stream that is destroyed in the end.
     *
     * @return this
     */
    public StreamBuilder dedicated() {
        return flag(StreamFlag.DEDICATED);
    }

    /**
     * Sets a flag.
     *
     * @param flag added to those set before
     * @return this
     */
    public StreamBuilder flag(StreamFlag flag) {
        flags |= Objects.requireNonNull(flag, "flag").bit;
        return this;
    }

    /**
     * Creates a stream. Blocks only while the driver makes a new one, which may wait for device work; the first use of
     * a device may take seconds on CUDA.
     *
     * @return the stream, owned
     * @throws GpuStreamException INVALID_ARGUMENT (shared and dedicated exclude each other), INVALID_DEVICE,
     *     UNAVAILABLE, OUT_OF_MEMORY, DRIVER, STICKY, CONTEXT_LOST, SYSTEM, CAPTURING
     */
    public Stream build() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamCreate(device, priority, flags, scratch.address));
        return new Stream(scratch.getLong(), scratch);
    }
}
