// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;

/** The calling thread's current streams: what the static methods of {@link Stream} do. */
final class CurrentStreams {
    private CurrentStreams() {}

    static Stream defaultStream(int device) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CURRENT.defaultStream(device, scratch.address));
        return new Stream(scratch.getLong(), false);
    }

    static Stream perThread(int device) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CURRENT.perThreadStream(device, scratch.address));
        return new Stream(scratch.getLong(), false);
    }

    static Stream current(int device) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CURRENT.currentStream(device, scratch.address));
        long number = scratch.getLong();
        // No two streams ever have the same number, so what an object says of one stays right.
        Stream last = (Stream) scratch.lastCurrent;
        if (last == null || last.handle.number != number) {
            last = new Stream(number, false);
            scratch.lastCurrent = last;
        }
        return last;
    }

    static void set(Stream stream) {
        Threads.requirePlatformThread("Stream.setCurrent");
        int status = Native.CURRENT.setCurrentStream(stream.handle.use());
        Reference.reachabilityFence(stream);
        Failure.check(status);
    }

    static Stream exchange(Stream stream) {
        Threads.requirePlatformThread("Stream.exchangeCurrent");
        Scratch scratch = Scratch.get();
        int status = Native.CURRENT.exchangeCurrentStream(stream.handle.use(), scratch.address);
        Reference.reachabilityFence(stream);
        Failure.check(status);
        return new Stream(scratch.getLong(), true);
    }
}
