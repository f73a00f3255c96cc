// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serial;
import java.io.Serializable;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/**
 * The present end of a stream as 128 bytes, for this process and for others on the machine. A value, which serializes: send
 * it, or its bytes, by any means.
 *
 * <pre>{@code
 * output.writeObject(Token.of(producer));              // process a
 * ((Token) input.readObject()).makeWait(consumer);     // process b: later work of the stream waits
 * }</pre>
 *
 * <p>The point is reached when the work submitted to the stream before is done. The token is leased. The lease ends when the
 * point is reached and one process has waited for it or GPUSTREAM_TOKEN_LEASE_MS milliseconds are over. After that, methods
 * may throw INVALID_HANDLE, and none ever means another point. So make a token for each process that is to wait.
 */
public final class Token implements Serializable {
    /** Size, bytes. */
    public static final int BYTES = 128;

    @Serial
    private static final long serialVersionUID = 1;

    // Not written: a stand-in is, which has the bytes.
    private final transient byte[] bytes;

    private Token(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * {@return a token of a stream's present end}
     *
     * @param stream the stream
     * @throws GpuStreamException INVALID_ARGUMENT (GPUSTREAM_SHM_DIR is too long), NOT_SUPPORTED (the device has no
     *     interprocess events, or no UUID), CAPTURING while the stream is captured, which stays intact, SYSTEM
     *     (GPUSTREAM_SHM_DIR cannot be used), OUT_OF_MEMORY (also when the shared memory is full)
     */
    public static Token of(Stream stream) {
        Token made = create(HandleOwner.numberOf(stream, "stream"));
        Reference.reachabilityFence(stream);
        return made;
    }

    /** {@return a token of the present end of the calling thread's current stream} As {@link #of(Stream)}. */
    public static Token ofCurrentStream() {
        return create(Constants.STREAM_CURRENT);
    }

    private static Token create(long stream) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.tokenCreate(stream, scratch.address));
        return new Token(scratch.getBytes(BYTES));
    }

    /**
     * {@return the token that another process sent; the bytes are looked at when it is used}
     *
     * @param bytes 128 bytes, copied
     * @throws IllegalArgumentException if it does not have 128 bytes
     */
    public static Token of(byte[] bytes) {
        if (Objects.requireNonNull(bytes, "bytes").length != BYTES) {
            throw new IllegalArgumentException("a token has 128 bytes, not " + bytes.length);
        }
        return new Token(bytes.clone());
    }

    /** {@return a copy of the 128 bytes} */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    /**
     * Makes work submitted to a stream from now on wait for the point. The caller does not block.
     *
     * @param stream the stream that waits, of any device of the token's backend
     * @throws GpuStreamException INVALID_ARGUMENT (the bytes are no token of this version), INVALID_HANDLE (the lease has
     *     ended), PEER_LOST (the process that made it has ended before the point was reached), DEVICE_MISMATCH (its device is
     *     none of this process's), NOT_SUPPORTED (the stream belongs to another backend, or the token comes from another pid
     *     namespace), FULL (64 other processes use tokens of the same process), CAPTURING while the stream is captured, which
     *     stays intact
     */
    public void makeWait(Stream stream) {
        submitWait(HandleOwner.numberOf(stream, "stream"), bytes);
        Reference.reachabilityFence(stream);
    }

    /** Makes the calling thread's current stream wait, as {@link #makeWait(Stream)} does. */
    public void makeWait() {
        submitWait(Constants.STREAM_CURRENT, bytes);
    }

    private static void submitWait(long stream, byte[] bytes) {
        Scratch scratch = Scratch.get().put(bytes);
        Failure.check(Native.CALLS.tokenWait(stream, scratch.address));
    }

    /**
     * {@return whether the point is reached} A process that sees {@code false} takes part in the lease until it waits, or sees
     * {@code true}.
     *
     * @throws GpuStreamException as {@link #makeWait(Stream)}, or the status with which the point's device has failed
     */
    public boolean query() {
        Scratch scratch = Scratch.get().put(bytes);
        Failure.check(Native.CALLS.tokenStatus(scratch.address, scratch.at(BYTES)));
        int seen = scratch.getInt(BYTES);
        if (seen == Constants.NOT_READY) {
            return false;
        }
        if (seen == Constants.OK) {
            return true;
        }
        throw Failure.of(seen, "the process that made the token has ended, or its device has failed");
    }

    /**
     * Refuses: the bytes of a stream may give any number, and other code may keep the array.
     *
     * @param input not read
     * @throws InvalidObjectException always
     */
    @Serial
    private void readObject(ObjectInputStream input) throws InvalidObjectException {
        throw new InvalidObjectException("a token is read by its stand-in");
    }

    /** {@return the stand-in, which holds the bytes} */
    @Serial
    private Object writeReplace() {
        return new Bytes(bytes);
    }

    /** What is written in place of a token. */
    private static final class Bytes implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;

        /** 128 of them. */
        private final byte[] bytes;

        private Bytes(byte[] bytes) {
            this.bytes = bytes;
        }

        /**
         * {@return the token}
         *
         * @throws InvalidObjectException if the bytes are not 128
         */
        @Serial
        private Object readResolve() throws InvalidObjectException {
            if (bytes == null || bytes.length != BYTES) {
                throw new InvalidObjectException("a token has 128 bytes");
            }
            return of(bytes);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Token token && Arrays.equals(token.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** {@return the bytes in hexadecimal} */
    @Override
    public String toString() {
        return "Token[" + HexFormat.of().formatHex(bytes) + "]";
    }
}
