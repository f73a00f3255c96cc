// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Scratch;

/** What scopes of streams and of devices share: their thread and their order. The library knows the former only. */
abstract class ThreadScope implements AutoCloseable {
    private final Scratch scratch;
    private final long outer;
    private long scope; // 0 once ended; accessed by its thread only

    /** Opens the scope {@code scope}, which is not 0, on the thread whose memory is {@code scratch}. */
    ThreadScope(Scratch scratch, long scope) {
        this.scratch = scratch;
        this.scope = scope;
        outer = scratch.innermostScope;
        scratch.innermostScope = scope;
    }

    /** {@return whether it has not ended} */
    public final boolean isOpen() {
        return scope != 0;
    }

    /**
     * Ends the scope. Later calls do nothing.
     *
     * @throws GpuStreamException SCOPE if this is another thread's scope or another one is open inside it: nothing has
     *     changed then and it is still open. Another status is the driver's: the scope has ended all the same
     */
    @Override
    public final void close() {
        if (scope != 0) {
            requireThread();
            if (scratch.innermostScope != scope) {
                throw Failure.of(
                        Status.SCOPE, "another scope is the innermost: scopes end in the reverse order of opening");
            }
            ended(restore(scope));
        }
    }

    /** Restores what was current before the scope. Returns the library's status. */
    abstract int restore(long scope);

    /** Returns the scope if it may be unwound. Throws SCOPE if it is another thread's, or has ended. */
    final long requireOpen() {
        requireThread();
        if (scope == 0) {
            throw Failure.of(Status.SCOPE, "the scope has ended already");
        }
        return scope;
    }

    /** Notes what the library answered. With any status but SCOPE it has ended the scope. */
    final void ended(int status) {
        if (status != Constants.ERROR_SCOPE) {
            scope = 0;
            scratch.innermostScope = outer;
        }
        Failure.check(status);
    }

    private void requireThread() {
        if (Thread.currentThread() != scratch.thread) {
            throw Failure.of(Status.SCOPE, "the scope belongs to thread '" + scratch.thread.getName() + "'");
        }
    }
}
