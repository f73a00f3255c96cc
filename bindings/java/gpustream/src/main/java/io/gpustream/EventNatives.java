// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;

/** What the driver knows an {@link Event} by. Links name that class, as some versions of Javadoc do not find this one. */
abstract class EventNatives extends HandleOwner {
    private volatile long id; // 0: none yet
    private volatile boolean nativeGiven; // the library knows that others may use the driver's event

    /** Owns a number that the library has just written to the thread's scratch memory. */
    EventNatives(long number, Scratch scratch) {
        super(Handle.Kind.EVENT, number, scratch);
    }

    final int info(String field) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventGetInfo(handle.use(), Layouts.EVENT_INFO.prepare(scratch)), this);
        return Layouts.EVENT_INFO.getInt(scratch, field);
    }

    /**
     * Returns the driver's handle, a cudaEvent_t or CUevent, for other libraries. Not to be destroyed. Calls on an
     * event whose handle was given out are no longer elided.
     *
     * @return 0 before the first record or export; then constant, valid while this object is open
     */
    public long nativeHandle() {
        long number = handle.use();
        if (!nativeGiven) {
            long given = Call.forLong(out -> Native.CALLS.eventNative(number, out), this);
            if (given != 0) {
                id = given;
                nativeGiven = true;
            }
            return given;
        }
        return id;
    }

    /** {@return the number of {@link #nativeHandle()}, without giving it out: later calls may still be elided} */
    public long id() {
        long number = handle.use();
        long known = id;
        if (known == 0) {
            known = Call.forLong(out -> Native.CALLS.eventId(number, out), this);
            if (known != 0) { // another thread may have seen the first record
                id = known;
            }
        }
        return known;
    }

    /**
     * Releases the event to the caller, who owns its driver handle from then on and destroys it, and closes this object. An
     * event that was never recorded is bound to the current device first.
     *
     * @return a cudaEvent_t or CUevent
     * @throws GpuStreamException INVALID_ARGUMENT (a wrap of one that other code owns); this object stays open then
     */
    public long intoNative() {
        return Call.givingUp(Handle.Kind.EVENT, handle, this);
    }

    /**
     * Names the event in the texts of errors and in reports of the {@link OrderingChecker}; "" ends that. The first 63 bytes are kept.
     *
     * @param name any text
     * @throws IllegalArgumentException if it contains a NUL
     */
    public void setName(String name) {
        Call.withText(name, "name", text -> Native.CALLS.eventSetName(handle.use(), text), this);
    }

    /**
     * Returns when the work that the present record covers was done, by the host's clock. {@link Device#calibrate} must
     * have compared the clocks before; the error covers that comparison, the driver's resolution, and drift since.
     *
     * @return the time
     * @throws GpuStreamException INVALID_ARGUMENT (the device was never calibrated), TIMING_DISABLED, NOT_RECORDED,
     *     NOT_READY (the work is not done yet)
     */
    public HostTime hostTime() {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.eventTimeNs(handle.use(), scratch.address, scratch.at(Long.BYTES)), this);
        return new HostTime(scratch.getLong(), scratch.getLong(Long.BYTES));
    }
}
