// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** An executor service that hands its tasks to another one in a way of its own. */
final class CarryingExecutor extends AbstractExecutorService {
    private final ExecutorService target;
    private final Executor way;

    CarryingExecutor(ExecutorService target, Executor way) {
        this.target = target;
        this.way = way;
    }

    @Override
    public void execute(Runnable task) {
        way.execute(Objects.requireNonNull(task, "task"));
    }

    @Override
    public void shutdown() {
        target.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return target.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return target.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return target.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return target.awaitTermination(timeout, unit);
    }
}
