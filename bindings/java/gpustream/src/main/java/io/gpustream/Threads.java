// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** Virtual threads share their carriers' state, so whatever would change it is refused there. */
final class Threads {
    private static final MethodHandle IS_VIRTUAL = find();

    private Threads() {}

    static boolean isVirtual() {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Throws NOT_PERMITTED on a virtual thread. */
    static void requirePlatformThread(String method) {
        if (isVirtual()) {
            throw Failure.plain(
                    Status.NOT_PERMITTED.code(),
                    method + " on a virtual thread: current device and stream belong to the carrier, which other"
                            + " virtual threads share; pass streams explicitly or use a platform thread",
                    null);
        }
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
