// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.Objects;

/** Settings for a new event: {@link Event#builder()}. Not for use by several threads at once. */
public final class EventBuilder {
    private int flags;

    EventBuilder() {}

    /**
     * Sets {@link EventFlag#TIMING}: the event takes time stamps.
     *
     * @return this
     */
    public EventBuilder timing() {
        return flag(EventFlag.TIMING);
    }

    /**
     * Sets {@link EventFlag#BLOCKING}: {@link Event#synchronize()} sleeps instead of spinning.
     *
     * @return this
     */
    public EventBuilder blocking() {
        return flag(EventFlag.BLOCKING);
    }

    /**
     * Sets {@link EventFlag#INTERPROCESS}: the event can be exported to other processes.
     *
     * @return this
     */
    public EventBuilder interprocess() {
        return flag(EventFlag.INTERPROCESS);
    }

    /**
     * Sets {@link EventFlag#EXTERNAL}: in a capture, record and wait become nodes of the graph.
     *
     * @return this
     */
    public EventBuilder external() {
        return flag(EventFlag.EXTERNAL);
    }

    /**
     * Sets a flag.
     *
     * @param flag added to those set before
     * @return this
     */
    public EventBuilder flag(EventFlag flag) {
        flags |= Objects.requireNonNull(flag, "flag").bit;
        return this;
    }

    /**
     * Creates an event, without a call of the driver and without blocking.
     *
     * @return the event, owned
     * @throws GpuStreamException INVALID_ARGUMENT (timing and interprocess exclude each other), OUT_OF_MEMORY
     */
    public Event build() {
        return Event.create(flags);
    }
}
