// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.Upcalls;
import java.nio.charset.StandardCharsets;

/** The methods that native/bridge.c calls, found by name. */
final class JniCallbacks {
    private JniCallbacks() {}

    static void released(long number) {
        Upcalls.released(number);
    }

    static int initialised(long number) {
        return Upcalls.initialised(number);
    }

    static long bridged(long number, int what, int ordinal, long nativeHandle) {
        return Upcalls.bridged(number, what, ordinal, nativeHandle);
    }

    static void logged(int level, byte[] text) {
        Upcalls.logged(level, new String(text, StandardCharsets.UTF_8));
    }
}
