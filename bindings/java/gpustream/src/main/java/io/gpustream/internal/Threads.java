// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;

/** The kind of the calling thread, on every version of Java, and what the ordering checker knows of threads. */
public final class Threads {
    private static final MethodHandle IS_VIRTUAL = find();
    private static final ByteBuffer CLOCK = ByteBuffer.allocateDirect(Long.BYTES);
    private static volatile Calls calls;
    private static volatile long clock; // the address of CLOCK

    private Threads() {}

    /** The layer's, before the first function runs. */
    static void use(Calls loaded, Bridge bridge) {
        clock = bridge.addressOf(CLOCK);
        calls = loaded;
    }

    /** {@return whether the calling thread is a virtual one; false before Java 21} */
    public static boolean isVirtual() {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A task for another thread. That thread then knows what the calling one knows to be done, for the ordering checker. */
    public static Runnable knowing(Runnable task) {
        handOver();
        return () -> {
            handOver();
            task.run();
        };
    }

    /**
     * The calling thread learns what the threads knew that called this before, and leaves what it knows. After a failure the
     * ordering checker knows less, and nothing else changes.
     */
    public static void handOver() {
        calls.checkHandover(clock);
    }

    // Thread.isVirtual exists from Java 21 on.
    private static MethodHandle find() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (ReflectiveOperationException older) {
            return MethodHandles.dropArguments(MethodHandles.constant(boolean.class, false), 0, Thread.class);
        }
    }
}
