// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * An object whose identity is the library's number of it. Links name the classes that extend this one, as some versions of
 * Javadoc do not find it.
 */
abstract class HandleOwner implements AutoCloseable {
    final Handle handle;

    /** Owns a reference that the library has just given, for the thread with this scratch memory. */
    HandleOwner(Handle.Kind kind, long number, Scratch scratch) {
        handle = Handle.owned(kind, number, this, scratch);
    }

    HandleOwner(Handle.Kind kind, long number, boolean owned) {
        handle = owned ? Handle.owned(kind, number, this) : Handle.borrowed(kind, number);
    }

    /** The number of an argument for a call. The caller keeps the object reachable until the call has returned. */
    static long numberOf(HandleOwner owner, String parameter) {
        return Objects.requireNonNull(owner, parameter).handle.use();
    }

    static long numberOf(StreamNatives stream, String parameter) {
        return Objects.requireNonNull(stream, parameter).handle.use();
    }

    /**
     * {@return the library's number of the object, such as a {@code gs_event_t}, for C and other languages; valid while this
     * object is open}
     */
    public long handle() {
        return handle.use();
    }

    /** {@return whether it is not closed; bodies of graphs are always open} */
    public boolean isOpen() {
        return handle.isOpen();
    }

    /** Releases the reference. Later calls, and all on a body of a graph, do nothing. Never throws. */
    @Override
    public void close() {
        handle.close();
        Reference.reachabilityFence(this);
    }

    /** {@return whether both name the same object of the library} */
    @Override
    public boolean equals(Object other) {
        return other instanceof HandleOwner owner
                && owner.getClass() == getClass()
                && owner.handle.number == handle.number;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(handle.number);
    }

    /** {@return the number, or that it is closed} */
    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + (isOpen() ? "0x" + Long.toHexString(handle.number) : "closed") + "]";
    }
}
