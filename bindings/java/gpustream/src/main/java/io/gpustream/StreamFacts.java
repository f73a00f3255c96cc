// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.util.Set;

/**
 * What never changes while a stream lives, and further calls about its identity. Immutable, so that a race of two
 * threads that ask is harmless. Callers keep the stream's object reachable.
 */
record StreamFacts(Device device, long id, int priority, Set<StreamFlag> flags) {

    /** Asks the library. */
    static StreamFacts of(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamDevice(number, scratch.address));
        Failure.check(Native.CALLS.streamId(number, scratch.at(8)));
        Failure.check(Native.CALLS.streamPriority(number, scratch.at(16)));
        Failure.check(Native.CALLS.streamFlags(number, scratch.at(20)));
        return new StreamFacts(
                Device.fromNumber(scratch.getInt(0)),
                scratch.getLong(8),
                scratch.getInt(16),
                StreamFlag.of(scratch.getInt(20)));
    }

    /** Whether both name one driver stream of one device; false if one is gone. */
    static boolean same(long number, long other) {
        Scratch scratch = Scratch.get();
        return Native.CALLS.streamEqual(number, other, scratch.address) == 0 && scratch.getInt() != 0;
    }

    /** Never 0. Of the number alone if the stream is gone. */
    static int hash(Handle stream) {
        Scratch scratch = Scratch.get();
        int status = stream.isOpen() ? Native.CALLS.streamHash(stream.number, scratch.address) : -1;
        int found = Long.hashCode(status == 0 ? scratch.getLong() : stream.number);
        return found != 0 ? found : 1;
    }

    static boolean isCapturing(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamIsCapturing(number, scratch.address));
        return scratch.getInt() != 0;
    }

    static boolean isDefault(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamIsDefault(number, scratch.address));
        return scratch.getInt() != 0;
    }

    static boolean isPerThread(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamIsPerThread(number, scratch.address));
        return scratch.getInt() != 0;
    }

    static long driverId(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamDriverId(number, scratch.address));
        return scratch.getLong();
    }

    static long context(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamContext(number, scratch.address));
        return scratch.getLong();
    }

    static StreamTriple pack(long number) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.streamPack(number, scratch.address));
        return new StreamTriple(scratch.getLong(), scratch.getInt(8), scratch.getInt(12));
    }

    /** The number of the stream that three numbers name, owned. */
    static long unpack(StreamTriple triple) {
        Scratch scratch = Scratch.get();
        scratch.putLong(8, triple.id()).putInt(16, triple.deviceIndex()).putInt(20, triple.deviceType());
        Failure.check(Native.CALLS.streamUnpack(scratch.at(8), scratch.address));
        return scratch.getLong();
    }
}
