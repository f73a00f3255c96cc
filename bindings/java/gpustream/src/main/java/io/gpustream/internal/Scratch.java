// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** What a thread keeps so that its calls allocate nothing, above all native memory for their outputs. */
public final class Scratch {
    /** Size of the memory. */
    public static final int BYTES = Math.max(1024, Constants.LARGEST_STRUCT);
    private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(() -> new Scratch(BYTES));

    private final ByteBuffer buffer;
    /** Address of the first byte, aligned to 8. */
    public final long address;

    /** The borrowed stream that this thread was given last, so that asking again allocates nothing. */
    public Object lastCurrent;

    /** Whose it is. */
    public final Thread thread = Thread.currentThread();

    /** The number of the thread's innermost open scope, of either kind; 0: none is open. */
    public long innermostScope;

    /** The thread's innermost open range; null: none is open. */
    public Object innermostRange;

    /** The number that the last scope got that has none from the library: below 0. */
    public long lastOwnScope;

    /** The thread's {@link io.gpustream.internal.lifetime.WatchList}, here so that one look-up finds both. */
    public Object watches;

    /** For code that the library calls during one of the thread's calls. */
    private Scratch inner;

    private Scratch(int bytes) {
        buffer = direct(bytes);
        address = Native.BRIDGE.addressOf(buffer);
    }

    /** Native memory that the collector ends, in native byte order. */
    public static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
    }

    public static Scratch get() {
        return OF_THREAD.get();
    }

    /**
     * Runs code that the library called on this thread. The interrupted call's outputs may be in the scratch memory
     * already, so the code gets its own.
     */
    static void nested(Runnable code) {
        Scratch outer = OF_THREAD.get();
        if (outer.inner == null) {
            outer.inner = new Scratch(BYTES);
        }
        OF_THREAD.set(outer.inner);
        try {
            code.run();
        } finally {
            OF_THREAD.set(outer);
        }
    }

    /** Address of byte {@code offset}. */
    public long at(int offset) {
        return address + offset;
    }

    public int getInt() {
        return buffer.getInt(0);
    }

    public int getInt(int offset) {
        return buffer.getInt(offset);
    }

    public long getLong() {
        return buffer.getLong(0);
    }

    public long getLong(int offset) {
        return buffer.getLong(offset);
    }

    public double getDouble() {
        return buffer.getDouble(0);
    }

    public Scratch putInt(int offset, int value) {
        buffer.putInt(offset, value);
        return this;
    }

    public Scratch putLong(int offset, long value) {
        buffer.putLong(offset, value);
        return this;
    }

    public Scratch put(byte[] bytes) {
        buffer.put(0, bytes);
        return this;
    }

    public byte[] getBytes(int count) {
        byte[] bytes = new byte[count];
        buffer.get(0, bytes);
        return bytes;
    }

    /** The memory itself, in native byte order. */
    public ByteBuffer buffer() {
        return buffer;
    }
}
