// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.util.Objects;

/** Settings for a new event: {@link Event#builder()}. Not for use by several threads at once. */
public final class EventBuilder {
    private int flags;

    EventBuilder() {}

    /** The event takes time stamps. */
    public EventBuilder timing() {
        return flag(EventFlag.TIMING);
    }

    /** {@link Event#synchronize()} sleeps instead of spinning. */
    public EventBuilder blocking() {
        return flag(EventFlag.BLOCKING);
    }

    /** The event can be exported to other processes. */
    public EventBuilder interprocess() {
        return flag(EventFlag.INTERPROCESS);
    }

    /** In a capture, record and wait become nodes of the graph. */
    public EventBuilder external() {
        return flag(EventFlag.EXTERNAL);
    }

    /** One more flag. */
    public EventBuilder flag(EventFlag flag) {
        flags |= Objects.requireNonNull(flag, "flag").bit;
        return this;
    }

    /**
     * A new event. Touches neither driver nor device.
     *
     * @throws GpuStreamException INVALID_ARGUMENT (timing and interprocess exclude each other), OUT_OF_MEMORY
     */
    public Event build() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.EVENTS.eventCreate(flags, scratch.address));
        return new Event(scratch.getLong());
    }
}
