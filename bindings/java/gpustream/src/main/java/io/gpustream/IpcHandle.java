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
     * {@return the handle that another process sent}
     *
     * @param bytes 64 bytes, copied
     * @throws IllegalArgumentException if it does not have 64 bytes
     */
    public static IpcHandle of(byte[] bytes) {
        if (Objects.requireNonNull(bytes, "bytes").length != BYTES) {
            throw new IllegalArgumentException("an IPC handle has 64 bytes, not " + bytes.length);
        }
        return new IpcHandle(bytes.clone());
    }

    /** {@return a copy of the 64 bytes} */
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

    /** {@return the bytes in hexadecimal} */
    @Override
    public String toString() {
        return "IpcHandle[" + HexFormat.of().formatHex(bytes) + "]";
    }
}
