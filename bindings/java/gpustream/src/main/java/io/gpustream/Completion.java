// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Completions;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToIntFunction;

/** A future that work completes. */
final class Completion extends Completions.Entry {
    private final CompletableFuture<Void> future = new CompletableFuture<>();

    private Completion() {}

    /** The function adds an entry and returns a status. */
    static CompletableFuture<Void> of(ToIntFunction<Completions.Entry> add) {
        Completion completion = new Completion();
        Failure.check(add.applyAsInt(completion));
        // Other ways to complete it (cancel, orTimeout) take it out of the queue.
        completion.future.whenComplete((nothing, thrown) -> Completions.cancel(completion));
        return completion.future;
    }

    @Override
    protected void done(int status, int nativeCode) {
        // Dependent stages run on the thread that completes the future. That must be neither the thread that takes
        // entries nor the one that runs functions, which may be waiting for this future.
        Callbacks.complete(() -> {
            if (status == 0) {
                future.complete(null);
            } else {
                future.completeExceptionally(Failure.ofWork(status, nativeCode));
            }
        });
    }
}
