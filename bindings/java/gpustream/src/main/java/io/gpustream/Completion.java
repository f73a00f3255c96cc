// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;
import java.util.concurrent.CompletableFuture;

/** A future that work completes. */
final class Completion implements Callbacks.Direct {
    final CompletableFuture<Void> future = new CompletableFuture<>();

    @Override
    public void accept(int status) {
        // What depends on the future runs where it is completed, so that is not the thread that takes notes, nor the
        // one that runs functions, which may be waiting for this.
        Callbacks.complete(() -> {
            if (status == 0) {
                future.complete(null);
            } else {
                future.completeExceptionally(
                        Failure.plain(status, Native.LIBRARY.statusMessage(status), null));
            }
        });
    }

    @Override
    public void dropped() {
        accept(Status.SHUTDOWN.code());
    }
}
