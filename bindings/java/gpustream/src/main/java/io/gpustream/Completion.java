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
        // Dependent stages run on the thread that completes the future. That must be neither the thread that takes
        // notes nor the one that runs functions, which may be waiting for this future.
        Callbacks.complete(() -> {
            if (status == 0) {
                future.complete(null);
            } else {
                future.completeExceptionally(Failure.of(status, Native.CALLS.statusMessage(status)));
            }
        });
    }

    @Override
    public void dropped() {
        accept(Status.SHUTDOWN.code());
    }
}
