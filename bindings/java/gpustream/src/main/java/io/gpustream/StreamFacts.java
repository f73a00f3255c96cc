// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
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
        Failure.check(Native.CALLS.streamGetInfo(number, Layouts.STREAM_INFO.prepare(scratch)));
        return new StreamFacts(
                Device.fromNumber(Layouts.STREAM_INFO.getInt(scratch, "device")),
                Layouts.STREAM_INFO.getLong(scratch, "id"),
                Layouts.STREAM_INFO.getInt(scratch, "priority"),
                StreamFlag.of(Layouts.STREAM_INFO.getInt(scratch, "flags")));
    }

    /** Whether both name one driver stream of one device; false if one is gone. */
    static boolean same(long number, long other) {
        Scratch scratch = Scratch.get();
        return Native.CALLS.streamEqual(number, other, scratch.address) == 0 && scratch.getInt() != 0;
    }

    /** Never 0. Of the number alone if the stream is gone. */
    static int hash(Handle stream) {
        Scratch scratch = Scratch.get();
        int status = stream.isOpen()
                ? Native.CALLS.streamGetInfo(stream.number, Layouts.STREAM_INFO.prepare(scratch))
                : -1;
        int found = Long.hashCode(status == 0 ? Layouts.STREAM_INFO.getLong(scratch, "hash") : stream.number);
        return found != 0 ? found : 1;
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
