// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Completions;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/** A future that work completes. */
final class Completion extends Completions.Entry {
    private final CompletableFuture<Void> future = new OrderedFuture<>();

    private final boolean here; // on the thread that takes entries, which must not wait

    private Completion(boolean here) {
        this.here = here;
    }

    /** One that no other code sees. No thread is needed to complete it. */
    static CompletableFuture<Void> here(ToIntFunction<Completions.Entry> add) {
        return of(add, Completions::cancel, new Completion(true));
    }

    /** The function adds an entry to the queue and returns a status. */
    static CompletableFuture<Void> of(ToIntFunction<Completions.Entry> add) {
        return of(add, Completions::cancel);
    }

    /** The same for an entry that {@code cancel} takes back. */
    static CompletableFuture<Void> of(ToIntFunction<Completions.Entry> add, Consumer<Completions.Entry> cancel) {
        return of(add, cancel, new Completion(false));
    }

    private static CompletableFuture<Void> of(
            ToIntFunction<Completions.Entry> add, Consumer<Completions.Entry> cancel, Completion completion) {
        Failure.check(add.applyAsInt(completion));
        // Other ways to complete it (cancel, orTimeout) take it out of the queue.
        completion.future.whenComplete((nothing, thrown) -> cancel.accept(completion));
        return completion.future;
    }

    @Override
    protected void done(int status, int nativeCode) {
        Runnable completion = () -> {
            if (status == 0) {
                future.complete(null);
            } else {
                future.completeExceptionally(Failure.ofWork(status, nativeCode));
            }
        };
        // Dependent stages run on the thread that completes the future. That must be neither the thread that takes
        // entries nor the one that runs functions, which may be waiting for this future.
        if (here) {
            completion.run();
        } else {
            Callbacks.complete(completion);
        }
    }
}
