// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Scratch;

/** Scopes of streams and of devices end on their thread, the innermost first. The library knows the former only. */
final class ScopeOrder {
    private ScopeOrder() {}

    /** Throws SCOPE unless {@code scope} is the innermost one of the calling thread, whose memory is {@code scratch}. */
    static void requireInnermost(Scratch scratch, long scope) {
        requireThread(scratch);
        if (scratch.innermostScope != scope) {
            throw Failure.of(Status.SCOPE, "another scope is the innermost: scopes end in the reverse order of opening");
        }
    }

    /** Throws SCOPE on another thread than that of {@code scratch}. */
    static void requireThread(Scratch scratch) {
        if (Thread.currentThread() != scratch.thread) {
            throw Failure.of(Status.SCOPE, "the scope belongs to thread '" + scratch.thread.getName() + "'");
        }
    }
}
