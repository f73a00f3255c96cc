// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;

/** Default streams and the calling thread's current stream, by number. Devices are the library's numbers too. */
final class CurrentStreams {
    private CurrentStreams() {}

    static long defaultStream(int device) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.defaultStream(device, scratch.address));
        return scratch.getLong();
    }

    static long perThread(int device) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.perThreadStream(device, scratch.address));
        return scratch.getLong();
    }

    /** The caller keeps the handle's owner reachable. */
    static void set(Handle stream) {
        Failure.requirePlatformThread("Stream.setCurrent");
        Failure.check(Native.CALLS.setCurrentStream(stream.use()));
    }

    /** Returns the previous stream, owned. The caller keeps the handle's owner reachable. */
    static long exchange(Handle stream) {
        Failure.requirePlatformThread("Stream.exchangeCurrent");
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.exchangeCurrentStream(stream.use(), scratch.address));
        return scratch.getLong();
    }
}
