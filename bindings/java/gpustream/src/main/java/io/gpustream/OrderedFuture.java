// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Threads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A future that tells the ordering checker what it orders: who sees it completed knows what the thread knew that completed
 * it. A function that depends on a completed future runs at once, on the calling thread.
 */
final class OrderedFuture<T> extends CompletableFuture<T> {
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new OrderedFuture<>();
    }

    @Override
    public boolean complete(T value) {
        Threads.handOver();
        return super.complete(value);
    }

    @Override
    public boolean isDone() {
        return known(super.isDone());
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        return known(super.get());
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return known(super.get(timeout, unit));
    }

    @Override
    public T join() {
        return known(super.join());
    }

    @Override
    public T getNow(T absent) {
        return known(super.getNow(absent));
    }

    @Override
    public <U> CompletableFuture<U> thenApply(Function<? super T, ? extends U> function) {
        return super.thenApply(known(function));
    }

    @Override
    public CompletableFuture<Void> thenAccept(Consumer<? super T> function) {
        return super.thenAccept(known(function));
    }

    @Override
    public CompletableFuture<Void> thenRun(Runnable function) {
        return super.thenRun(known(function));
    }

    @Override
    public <U> CompletableFuture<U> thenCompose(Function<? super T, ? extends CompletionStage<U>> function) {
        return super.thenCompose(known(function));
    }

    @Override
    public <U> CompletableFuture<U> handle(BiFunction<? super T, Throwable, ? extends U> function) {
        return super.handle(known(function));
    }

    @Override
    public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> function) {
        return super.whenComplete(known(function));
    }

    /** What is returned, behind what the calling thread learns if the future is completed. */
    private <V> V known(V returned) {
        if (super.isDone()) {
            Threads.handOver();
        }
        return returned;
    }
}
