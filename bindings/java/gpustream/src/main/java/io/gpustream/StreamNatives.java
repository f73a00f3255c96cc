// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.LongToIntFunction;

/**
 * What the driver knows a {@link Stream} by. Links name that class, as some versions of Javadoc do not find this one.
 */
abstract class StreamNatives {
    final Handle handle;
    private volatile long nativeHandle; // 0: not asked yet, or a default stream's

    StreamNatives(long number, boolean owned) {
        handle = owned
                ? Handle.owned(Handle.Kind.STREAM, number, this)
                : Handle.borrowed(Handle.Kind.STREAM, number);
    }

    /** Owns a number that the library has just written to the thread's scratch memory. */
    StreamNatives(long number, Scratch scratch) {
        handle = Handle.owned(Handle.Kind.STREAM, number, this, scratch);
    }

    /** Submits work and keeps {@code what} reachable until it is done: {@link AfterWork#submitKeeping}. */
    final void submitKeeping(Object what, LongToIntFunction submit) {
        AfterWork.submitKeeping(handle, what, submit);
        Reference.reachabilityFence(this);
    }

    /** Copies, and keeps sides that are no memory reachable until that is done. */
    final void copy(Side target, Side source) {
        long bytes = Side.common(target.bytes(), source.bytes());
        LongToIntFunction copy =
                stream -> Native.CALLS.memcpyAsync(target.address(), source.address(), bytes, stream);
        boolean keeps = !target.isMemory() || !source.isMemory();
        Runnable submit = keeps
                ? () -> submitKeeping(List.of(target.what(), source.what()), copy)
                : () -> Failure.check(copy.applyAsInt(handle.use()));
        Memory.use(handle.use(), submit, target.what(), source.what());
        Reference.reachabilityFence(this);
    }

    /**
     * Returns the driver's handle, a cudaStream_t or CUstream, for other libraries. Not to be destroyed.
     *
     * @return 0 for the default stream, 2 for the per-thread stream, else valid while this object is open
     */
    public long nativeHandle() {
        long number = handle.use();
        long known = nativeHandle;
        if (known == 0) {
            known = Call.forLong(out -> Native.CALLS.streamNative(number, out), this);
            nativeHandle = known;
        }
        return known;
    }

    /**
     * Returns the driver's handle of the current device's current stream, in one call and without an object.
     *
     * @return as {@link Stream#nativeHandle}; valid until the thread makes another stream current
     * @throws GpuStreamException DRIVER (a function of a library that is followed failed: {@link Bridge})
     */
    public static long currentNative() {
        return currentNative(Constants.DEVICE_CURRENT);
    }

    /**
     * {@return the same for a device}
     *
     * @param device the device
     * @throws GpuStreamException INVALID_DEVICE; DRIVER as above
     */
    public static long currentNative(Device device) {
        return currentNative(Device.numberOf(device));
    }

    private static long currentNative(int device) {
        return Call.forLong(out -> Native.CALLS.currentNative(device, out));
    }

    /**
     * Releases the stream to the caller, who owns its driver handle from then on and destroys it, and closes this
     * object. Other objects for the same stream stay valid as wraps of it. Work already submitted is still done.
     *
     * @return a cudaStream_t or CUstream
     * @throws GpuStreamException INVALID_ARGUMENT (a default or per-thread stream, or a wrap of one that other code
     *     owns), NOT_SUPPORTED (a shared stream); this object stays open then
     * @throws IllegalStateException if this object is closed, or borrowed: {@link Stream#retain} it first
     */
    public long intoNative() {
        return Call.givingUp(Handle.Kind.STREAM, handle, this);
    }

    private long idNow() {
        return Call.forLong(out -> Native.CALLS.streamId(handle.use(), out), this);
    }

    /** {@return whether this is its device's default stream, under any of the driver's names for it} */
    public boolean isDefault() {
        return idNow() == 0;
    }

    /** {@return whether this is a per-thread default stream, which is another stream on each thread} */
    public boolean isPerThread() {
        return idNow() == 2;
    }

    /**
     * {@return the driver's own number of the stream, as traces and profilers have it; 0: of a default or per-thread
     * stream where the device has no context yet}
     *
     * @throws GpuStreamException CAPTURING while the stream is captured, which stays intact
     */
    public long driverId() {
        return Call.forLong(out -> Native.CALLS.streamDriverId(handle.use(), out), this);
    }

    /**
     * {@return the driver's context of the stream, a CUcontext: its device's primary one; 0 where there is none yet}
     *
     * @throws GpuStreamException CAPTURING for a stream that was wrapped while it was captured, until the capture ends
     */
    public long nativeContext() {
        return Call.forLong(out -> Native.CALLS.streamContext(handle.use(), out), this);
    }

    /**
     * Names the stream in the texts of errors and in reports of the {@link OrderingChecker}; "" ends that. The first 63 bytes are kept.
     *
     * @param name any text
     * @throws IllegalArgumentException if it contains a NUL
     */
    public void setName(String name) {
        Call.withText(name, "name", text -> Native.CALLS.streamSetName(handle.use(), text), this);
    }

    /**
     * {@return why the stream is not done, as text for people} The text leads from wait to wait to the one that holds up the
     * rest. The stream's last operations follow if {@code GPUSTREAM_LOG} keeps them. {@code gs_dump()} writes the same. No
     * driver is asked. Does not block.
     *
     * @throws GpuStreamException BAD_FORK, OUT_OF_MEMORY
     */
    public String explain() {
        for (int room = 1024; ; ) {
            ByteBuffer text = ByteBuffer.allocateDirect(room);
            Scratch scratch = Scratch.get();
            int status = Native.CALLS.explainWait(handle.use(), Native.BRIDGE.addressOf(text), room, scratch.address);
            long bytes = scratch.getLong();
            Reference.reachabilityFence(this);
            Failure.check(status);
            if (bytes <= room) {
                byte[] whole = new byte[(int) bytes - 1]; // without the NUL
                text.get(0, whole);
                return new String(whole, StandardCharsets.UTF_8);
            }
            room = Math.toIntExact(bytes);
        }
    }

    /**
     * Writes a word of memory when the work submitted so far is done: for flags of the program's own, which other
     * streams, devices or threads watch. A {@link Timeline} is the safer tool: it keeps its order, can be aborted, and its
     * circles are found. Allocates nothing.
     *
     * @param word where to; its memory must stay open until the write is done
     * @param value what is written; 0 to 2^32 - 1 for a word of 32 bits
     * @throws GpuStreamException INVALID_ARGUMENT (the address is 0 or not aligned to the word's width, the value is too
     *     large, or the driver does not know the memory), NOT_SUPPORTED (the device has no such operations of that
     *     width), CAPTURING while the stream is captured, which stays intact
     * @throws IllegalStateException if the memory or the stream is closed
     */
    public void writeValue(MemoryWord word, long value) {
        write(Objects.requireNonNull(word, "word"), value, 0);
    }

    /**
     * As {@link Stream#writeValue}, but the stream's earlier writes need not be visible to those who see the word change.
     *
     * @param word where to
     * @param value what is written
     * @throws GpuStreamException as {@link Stream#writeValue}
     */
    public void writeValueWithoutBarrier(MemoryWord word, long value) {
        write(Objects.requireNonNull(word, "word"), value, Constants.VALUE_NO_BARRIER);
    }

    private void write(MemoryWord word, long value, int flags) {
        Failure.check(
                Native.CALLS.streamWriteValue(handle.use(), word.address(), value, word.widthFlag() | flags),
                this, word);
    }

    /**
     * Makes work submitted to this stream from now on wait until a word of memory meets a condition. The library cannot
     * know what writes the word. If no write meets the condition, the stream stays so, and so does everything that waits for
     * the stream. Allocates nothing.
     *
     * @param word where; its memory must stay open until the condition is met
     * @param condition how the word is compared
     * @param value what with; 0 to 2^32 - 1 for a word of 32 bits
     * @throws GpuStreamException as {@link Stream#writeValue}; also NOT_SUPPORTED (the device lacks the condition)
     * @throws IllegalStateException if the memory or the stream is closed
     */
    public void waitValue(MemoryWord word, WordCondition condition, long value) {
        await(Objects.requireNonNull(word, "word"), Objects.requireNonNull(condition, "condition").bits, value);
    }

    /**
     * As {@link Stream#waitValue}. What other devices wrote before the word is visible to the work that follows.
     *
     * @param word where
     * @param condition how the word is compared
     * @param value what with
     * @throws GpuStreamException as {@link Stream#waitValue}; also NOT_SUPPORTED (the device cannot do that)
     */
    public void waitValueAndFlush(MemoryWord word, WordCondition condition, long value) {
        int bits = Objects.requireNonNull(condition, "condition").bits | Constants.VALUE_FLUSH;
        await(Objects.requireNonNull(word, "word"), bits, value);
    }

    private void await(MemoryWord word, int flags, long value) {
        Failure.check(
                Native.CALLS.streamWaitValue(handle.use(), word.address(), value, word.widthFlag() | flags),
                this, word);
    }
}
