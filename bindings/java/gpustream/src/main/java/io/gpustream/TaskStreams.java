// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/**
 * A stream for each thread that runs tasks:
 *
 * <pre>{@code
 * try (TaskStreams streams = TaskStreams.create(device);
 *         Stream result = Stream.create(device)) {
 *     ExecutorService executor = streams.executor(Executors.newFixedThreadPool(4));
 *     executor.submit(() -> work());     // in the stream of the thread that runs it
 *     ...
 *     streams.orderBefore(result);       // later work of result comes after that of all tasks
 * }
 * }</pre>
 *
 * <p>While a task runs on a platform thread, the thread's stream is current. A virtual thread cannot change what is
 * current: its task has a stream of its own. {@link #stream()} is right on both.
 *
 * <p>A task's work comes after what was submitted to the stream that was current where the task was handed over, until
 * then. So tasks see what the thread that hands them over has made, and no thread waits for a stream. Tasks that Spark
 * or another framework runs on its own threads begin with {@link #run(Runnable)}.
 *
 * <p>Any thread may use it, at the same time as others. No method blocks but for the task it runs.
 */
public final class TaskStreams implements AutoCloseable {
    private static final ThreadLocal<Stream> OF_TASK = new ThreadLocal<>(); // of virtual threads

    private final Device device;
    private final Map<Thread, Stream> owned = new ConcurrentHashMap<>();
    private final Queue<Stream> all = new ConcurrentLinkedQueue<>();
    private final Queue<Stream> idle = new ConcurrentLinkedQueue<>(); // of tasks of virtual threads
    private final ThreadLocal<Stream> own = ThreadLocal.withInitial(this::ownStream);
    private volatile boolean closed;

    private TaskStreams(Device device) {
        this.device = device;
    }

    /**
     * Creates no stream yet.
     *
     * @param device the device of the streams
     * @return the streams, to be closed
     */
    public static TaskStreams create(Device device) {
        return new TaskStreams(Objects.requireNonNull(device, "device"));
    }

    /**
     * {@return the stream that the calling thread's work goes to: on a virtual thread that of its task; else the current
     * one, as there is no task}
     */
    public static Stream stream() {
        Stream stream = OF_TASK.get();
        return stream != null ? stream : Stream.current();
    }

    /** {@return the device of the streams} */
    public Device device() {
        return device;
    }

    /**
     * Runs a task on the calling thread, with the thread's stream.
     *
     * @param task what to run
     * @throws IllegalStateException if this object is closed
     * @throws GpuStreamException if a stream cannot be created; the driver's statuses
     */
    public void run(Runnable task) {
        Objects.requireNonNull(task, "task");
        requireOpen();
        if (Threads.isVirtual()) {
            runWithIdle(task);
            return;
        }
        StreamScope scope = own.get().scope();
        try {
            task.run();
        } finally {
            scope.unwind(); // also ends scopes that the task left open
        }
    }

    private void runWithIdle(Runnable task) {
        Stream found = idle.poll();
        Stream stream = found == null ? newStream() : found;
        Stream outer = OF_TASK.get();
        OF_TASK.set(stream);
        try {
            task.run();
        } finally {
            if (outer != null) {
                OF_TASK.set(outer);
            } else {
                OF_TASK.remove();
            }
            idle.add(stream); // the next task's work follows this one's
        }
    }

    /**
     * Returns an executor whose tasks have streams.
     *
     * @param target runs them
     * @return the executor; its tasks are refused once this object is closed
     */
    public Executor executor(Executor target) {
        Objects.requireNonNull(target, "target");
        return task -> handOver(target, Objects.requireNonNull(task, "task"));
    }

    /**
     * Returns an executor service whose tasks have streams. Ending it ends the target.
     *
     * @param target runs them
     * @return the executor service; its tasks are refused once this object is closed
     */
    public ExecutorService executor(ExecutorService target) {
        Objects.requireNonNull(target, "target");
        return new CarryingExecutor(target, task -> handOver(target, task));
    }

    private void handOver(Executor target, Runnable task) {
        requireOpen();
        Event handedOver = Event.create();
        try {
            handedOver.record(stream());
            target.execute(() -> run(() -> {
                try (handedOver) {
                    stream().waitEvent(handedOver);
                }
                task.run();
            }));
        } catch (RuntimeException | Error refused) {
            handedOver.close();
            throw refused;
        }
    }

    /**
     * Returns a factory of worker threads that have a stream each. A worker's stream is always current on it, also in tasks
     * that other tasks fork, and in parallel streams of collections.
     *
     * <pre>{@code
     * ForkJoinPool pool = new ForkJoinPool(4, streams.workers(), null, false);
     * }</pre>
     *
     * <p>Forked tasks are not handed over: a task that needs another one's work makes its stream wait for an event.
     *
     * @return the factory
     */
    public ForkJoinPool.ForkJoinWorkerThreadFactory workers() {
        return pool -> new ForkJoinWorkerThread(pool) {
            @Override
            protected void onStart() {
                super.onStart();
                requireOpen();
                own.get().setCurrent();
            }
        };
    }

    /**
     * Makes a stream wait for all work that the tasks have submitted so far.
     *
     * @param later the stream that waits
     * @throws IllegalStateException if this object or the stream is closed
     */
    public void orderBefore(Stream later) {
        Objects.requireNonNull(later, "later");
        requireOpen();
        for (Stream stream : all) {
            later.waitStream(stream);
        }
    }

    /** {@return how many streams there are} */
    public int size() {
        return all.size();
    }

    // Of a thread that has ended, or a new one.
    private Stream ownStream() {
        Thread thread = Thread.currentThread();
        for (Map.Entry<Thread, Stream> entry : owned.entrySet()) {
            if (!entry.getKey().isAlive() && owned.remove(entry.getKey(), entry.getValue())) {
                owned.put(thread, entry.getValue());
                return entry.getValue();
            }
        }
        Stream stream = newStream();
        owned.put(thread, stream);
        return stream;
    }

    private Stream newStream() {
        Stream stream = Stream.create(device);
        all.add(stream);
        return stream;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the streams of tasks are closed");
        }
    }

    /**
     * Closes the streams. Work that was submitted goes on. End executors before: a task that runs keeps its stream
     * current until it ends, and no task begins any more. A second call does nothing.
     */
    @Override
    public void close() {
        closed = true;
        List<Stream> streams = new ArrayList<>();
        for (Stream stream = all.poll(); stream != null; stream = all.poll()) {
            streams.add(stream);
        }
        idle.clear();
        owned.clear();
        streams.forEach(Stream::close);
    }
}
