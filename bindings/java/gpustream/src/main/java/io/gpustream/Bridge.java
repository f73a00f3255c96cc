// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntToLongFunction;

/**
 * A library of the process that keeps a current stream of its own, and shares it with gpustream: PyTorch, TVM FFI, or one
 * that a program registers.
 *
 * <pre>{@code
 * Bridge.find("torch").lead(true);    // PyTorch works in the stream that is current here
 * }</pre>
 *
 * <p>Leading and following hold for every thread of the process and for every language in it. No method blocks unless it
 * says so. Any thread may call any method, but none may be called inside a function of a bridge (NOT_PERMITTED).
 *
 * @param number the library's number of the bridge, for other languages; never used again
 */
public record Bridge(int number) {
    private static final int HAS_SET = 1, HAS_SET_DEVICE = 2;

    /** The objects registered here, by the bridge's number. */
    private static final ConcurrentHashMap<Integer, Long> REGISTERED = new ConcurrentHashMap<>();

    /**
     * The current stream of another library, on the calling thread. The methods are called on the thread whose stream
     * changes or is asked for, at the same time on several threads; an exception makes the call that needed the method
     * fail with DRIVER and this cause. Calls on the current stream and device are refused inside them (NOT_PERMITTED). Only
     * threads of Java call the methods: for others the binding keeps a stream itself, at first the default stream.
     */
    public interface Streams {
        /**
         * Returns the library's current stream.
         *
         * @param ordinal the device within the bridge's backend
         * @return a cudaStream_t or CUstream as a number; 0: the default stream
         */
        long get(int ordinal);

        /**
         * Sets the library's current stream.
         *
         * @param ordinal the device within the bridge's backend
         * @param nativeHandle a cudaStream_t or CUstream as a number; 0: the default stream
         */
        void set(int ordinal, long nativeHandle);

        /**
         * Sets the library's current device, if it has one of its own; does nothing by default.
         *
         * @param ordinal the device within the bridge's backend
         */
        default void setDevice(int ordinal) {}
    }

    /**
     * Finds a bridge. Loads no library: PyTorch or TVM FFI must have been loaded before.
     *
     * @param name {@code "torch"} or {@code "tvm_ffi"}, which are built in, or a registered name
     * @return the bridge
     * @throws GpuStreamException INVALID_ARGUMENT (no bridge has this name), UNAVAILABLE (the library is not loaded, was
     *     built without CUDA or is too old: {@link GpuStreamException#reason}), OUT_OF_MEMORY (8 are registered)
     */
    public static Bridge find(String name) {
        ByteBuffer text = terminated(Objects.requireNonNull(name, "name"));
        return new Bridge(Call.forInt(out -> Native.CALLS.bridgeFind(Native.BRIDGE.addressOf(text), out), text));
    }

    /**
     * Registers a library.
     *
     * @param name up to 31 bytes, not registered yet
     * @param backend whose streams they are
     * @param library its current stream; reachable until {@link #unregister}
     * @return the bridge, neither led nor followed
     * @throws GpuStreamException INVALID_ARGUMENT (the name), OUT_OF_MEMORY (8 are registered)
     */
    public static Bridge register(String name, Backend backend, Streams library) {
        return register(name, backend, Objects.requireNonNull(library, "library"), HAS_SET | HAS_SET_DEVICE);
    }

    /**
     * Registers a library whose current stream can be read only. It can be followed, not led.
     *
     * @param name as above
     * @param backend as above
     * @param get {@link Streams#get}
     * @return the bridge
     * @throws GpuStreamException as above
     */
    public static Bridge register(String name, Backend backend, IntToLongFunction get) {
        return register(name, backend, new Reader(Objects.requireNonNull(get, "get")), 0);
    }

    /** A library whose stream cannot be set. It is not asked to. */
    private record Reader(IntToLongFunction reader) implements Streams {
        @Override
        public long get(int ordinal) {
            return reader.applyAsLong(ordinal);
        }

        @Override
        public void set(int ordinal, long nativeHandle) {
            throw new UnsupportedOperationException();
        }
    }

    /** How native code calls a library. */
    private record Adapter(Streams library) implements Callbacks.Bridged {
        @Override
        public long get(int ordinal) {
            return library.get(ordinal);
        }

        @Override
        public void set(int ordinal, long nativeHandle) {
            library.set(ordinal, nativeHandle);
        }

        @Override
        public void setDevice(int ordinal) {
            library.setDevice(ordinal);
        }
    }

    private static Bridge register(String name, Backend backend, Streams library, int parts) {
        ByteBuffer text = terminated(Objects.requireNonNull(name, "name"));
        int code = Objects.requireNonNull(backend, "backend").code();
        Scratch scratch = Scratch.get();
        long callback = Call.registering(
                new Adapter(library),
                number -> Native.BRIDGE.bridgeRegister(
                        Native.BRIDGE.addressOf(text), code, number, parts, scratch.address));
        Reference.reachabilityFence(text);
        Bridge bridge = new Bridge(scratch.getInt());
        REGISTERED.put(bridge.number, callback);
        return bridge;
    }

    // A name with a NUL belongs to no bridge; the empty name is refused, too.
    private static ByteBuffer terminated(String name) {
        return Call.terminated(name.indexOf('\0') < 0 ? name.getBytes(StandardCharsets.UTF_8) : new byte[0]);
    }

    /**
     * Makes the library's current stream go with gpustream's, or no longer: whatever makes a stream current, scopes too,
     * also sets theirs, and the end of a scope restores theirs. Changes nothing by itself. While it is on, every stream
     * must outlive the library's use of it.
     *
     * @param on whether to
     * @throws GpuStreamException INVALID_ARGUMENT (unregistered), NOT_SUPPORTED (the library's stream cannot be set)
     */
    public void lead(boolean on) {
        Failure.check(Native.CALLS.bridgeLead(number, on ? 1 : 0));
    }

    /**
     * Makes gpustream's current stream go with the library's: it is asked for at each call. One library can be followed
     * at a time.
     *
     * @throws GpuStreamException INVALID_ARGUMENT (unregistered, or another one is followed)
     */
    public void follow() {
        Failure.check(Native.CALLS.bridgeFollow(number));
    }

    /** Ends following, whichever library was followed. */
    public static void stopFollowing() {
        Failure.check(Native.CALLS.bridgeFollow(0));
    }

    /**
     * Ends leading, following and the registration. Blocks until no thread is inside a function of the bridge.
     *
     * @throws GpuStreamException INVALID_ARGUMENT (unregistered already)
     */
    public void unregister() {
        Failure.check(Native.CALLS.bridgeUnregister(number));
        Long callback = REGISTERED.remove(number);
        if (callback != null) {
            Callbacks.forget(callback);
        }
    }
}
