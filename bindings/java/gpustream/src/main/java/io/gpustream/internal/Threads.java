// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** The kind of the calling thread, on every version of Java. */
public final class Threads {
    private static final MethodHandle IS_VIRTUAL = find();

    private Threads() {}

    /** {@return whether the calling thread is a virtual one; false before Java 21} */
    public static boolean isVirtual() {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
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
