// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;

/** Streams and events whose driver handle becomes the caller's. */
final class Given {
    private Given() {}

    /** Returns the driver's handle and closes the library's. After a failure nothing has changed. */
    static long up(Handle.Kind kind, Handle handle, Object owner) {
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
        if (status != 0) {
            GpuStreamException failure = Failure.of(status);
            Handle.giveBack(kind, number);
            throw failure;
        }
        long nativeHandle = scratch.getLong();
        handle.close();
        return nativeHandle;
    }
}
