// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongToIntFunction;
import java.util.function.ToIntFunction;

/** The shapes that calls of the library have. What a call uses stays reachable until it has returned. */
final class Call {
    /** How many numbers a list has room for at first. */
    private static final int FIRST_LIST = 64;

    private Call() {}

    /** What a call writes to the address that it is given: 32 bits. */
    static int forInt(LongToIntFunction call, Object used) {
        Scratch scratch = Scratch.get();
        Failure.check(call.applyAsInt(scratch.address), used);
        return scratch.getInt();
    }

    /** The same with 64 bits. */
    static long forLong(LongToIntFunction call, Object used) {
        Scratch scratch = Scratch.get();
        Failure.check(call.applyAsInt(scratch.address), used);
        return scratch.getLong();
    }

    static int forInt(LongToIntFunction call) {
        return forInt(call, null);
    }

    static long forLong(LongToIntFunction call) {
        return forLong(call, null);
    }

    /** Throws unless the status is GS_OK, and gives back the reference that the call would have taken. */
    static void check(int status, Handle.Kind kind, long number) {
        if (status != 0) {
            GpuStreamException failure = Failure.of(status);
            Handle.giveBack(kind, number);
            throw failure;
        }
    }

    /** A call that takes a function and its argument. */
    interface Passing {
        int pass(long function, long argument);
    }

    /** Registers an object of Java for a call, which gets the function that stands for it: one of {@code Callbacks.ON_*}. */
    static long registering(Object object, int function, Passing call) {
        return registering(
                object, number -> call.pass(Native.BRIDGE.function(function), Native.BRIDGE.argument(number)));
    }

    /** Registers an object of Java for a call, which gets its number. It is forgotten if the call is refused. */
    static long registering(Object object, LongToIntFunction call) {
        if (Callbacks.isOver()) {
            throw Failure.of(Status.SHUTDOWN, "the virtual machine ends, so no function of Java can be called any more");
        }
        long number = Callbacks.register(object);
        int status = call.applyAsInt(number);
        if (status != 0) {
            Callbacks.forget(number);
            throw Failure.of(status);
        }
        return number;
    }

    /** Calls with the address of a text. {@code parameter} is the text's name. */
    static void withText(String text, String parameter, LongToIntFunction call, Object used) {
        ByteBuffer bytes = terminated(text, parameter);
        Failure.check(call.applyAsInt(Native.BRIDGE.addressOf(bytes)), used, bytes);
    }

    /** A text as C wants it. {@code what} is the parameter's name. */
    static ByteBuffer terminated(String text, String what) {
        if (Objects.requireNonNull(text, what).indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " contains a NUL");
        }
        return terminated(text.getBytes(StandardCharsets.UTF_8));
    }

    static ByteBuffer terminated(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length + 1).put(0, bytes);
    }

    /** The text that a call writes, piece by piece, by the function that it is passed. */
    static String text(Passing call, Object used) {
        Scratch scratch = Scratch.get().putLong(0, 0).putLong(8, 0).putLong(16, 0);
        int status = call.pass(Native.BRIDGE.function(Callbacks.ON_TEXT), scratch.address);
        long address = scratch.getLong();
        try {
            byte[] text = new byte[Math.toIntExact(scratch.getLong(8))];
            Failure.check(status, used);
            Native.BRIDGE.bufferOf(address, text.length).get(text);
            return new String(text, StandardCharsets.UTF_8);
        } finally {
            Native.BRIDGE.free(address);
        }
    }

    /** A call that lists numbers: how many fit, where to, and where to put their count. */
    interface Lister {
        int list(long out, long capacity, long outCount);
    }

    /** All numbers that a call lists; there may be more from call to call, as other threads add nodes. */
    static long[] list(Lister lister) {
        Scratch scratch = Scratch.get();
        long room = FIRST_LIST;
        while (true) {
            ByteBuffer memory = Scratch.direct(Math.toIntExact(8 * room));
            Failure.check(lister.list(Native.BRIDGE.addressOf(memory), room, scratch.address));
            long count = scratch.getLong();
            if (count <= room) {
                long[] numbers = new long[(int) count];
                memory.asLongBuffer().get(numbers);
                return numbers;
            }
            room = count;
        }
    }

    /** The flags of a call. Exceptions name the parameter "flags". */
    static <F> int bits(F[] flags, ToIntFunction<F> bit) {
        int bits = 0;
        for (F flag : Objects.requireNonNull(flags, "flags")) {
            bits |= bit.applyAsInt(Objects.requireNonNull(flag, "flag"));
        }
        return bits;
    }

    /** The flags that a call has returned, unmodifiable. */
    static <F extends Enum<F>> Set<F> flags(Class<F> type, int bits, ToIntFunction<F> bit) {
        Set<F> flags = EnumSet.allOf(type);
        flags.removeIf(flag -> (bits & bit.applyAsInt(flag)) == 0);
        return Set.copyOf(flags);
    }

    /** Returns the driver's handle and closes the library's. After a failure nothing has changed. */
    static long givingUp(Handle.Kind kind, Handle handle, Object owner) {
        if (!handle.isOwned()) {
            throw new IllegalStateException("the object is borrowed and cannot be given up: retain() it first");
        }
        long number = handle.use();
        // A reference of this call's own, which the library takes: the object's is given back by close(), once, whatever
        // other threads do.
        Failure.check(kind.retain(number));
        Reference.reachabilityFence(owner);
        Scratch scratch = Scratch.get();
        int status = kind == Handle.Kind.STREAM
                ? Native.CALLS.streamIntoNative(number, scratch.address)
                : Native.CALLS.eventIntoNative(number, scratch.address);
        check(status, kind, number);
        long nativeHandle = scratch.getLong();
        handle.close();
        return nativeHandle;
    }
}
