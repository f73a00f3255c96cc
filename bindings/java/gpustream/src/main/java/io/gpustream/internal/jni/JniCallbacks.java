// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.Callbacks;
import java.nio.charset.StandardCharsets;

/** What native/bridge.c calls. It finds these methods by name. */
final class JniCallbacks {
    private JniCallbacks() {}

    static void released(long number) {
        Callbacks.released(number);
    }

    static int initialised(long number) {
        return Callbacks.initialised(number);
    }

    static void logged(int level, byte[] text) {
        Callbacks.logged(level, new String(text, StandardCharsets.UTF_8));
    }
}
