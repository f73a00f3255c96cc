// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/** An exported event: 64 bytes to hand to another process on the same machine by any means. A value. */
public final class IpcHandle {
    /** Size, bytes. */
    public static final int BYTES = 64;

    private final byte[] bytes;

    private IpcHandle(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * From the bytes that another process sent.
     *
     * @throws IllegalArgumentException if there are not 64 of them
     */
    public static IpcHandle of(byte[] bytes) {
        if (Objects.requireNonNull(bytes, "bytes").length != BYTES) {
            throw new IllegalArgumentException("an IPC handle has 64 bytes, not " + bytes.length);
        }
        return new IpcHandle(bytes.clone());
    }

    /** A copy of the 64 bytes. */
    public byte[] toByteArray() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpcHandle handle && Arrays.equals(handle.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The bytes in hexadecimal. */
    @Override
    public String toString() {
        return "IpcHandle[" + HexFormat.of().formatHex(bytes) + "]";
    }
}
