// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/**
 * The device and the streams that are current on a thread, to be carried to tasks on other threads:
 *
 * <pre>{@code
 * ExecutorService executor = StreamContext.carrying(Executors.newFixedThreadPool(4));
 * try (StreamScope scope = stream.scope()) {
 *     executor.submit(() -> work());      // stream is current there, too
 * }
 * }</pre>
 *
 * <p>On a platform thread a task that runs in a context has its device and streams current, and the thread's own ones
 * are restored afterwards. A virtual thread has none of its own: there a task asks {@link #bound()}.
 *
 * <p>A context keeps its streams alive until it is closed or unreachable. It is immutable and any thread may use it, at
 * the same time as others. No method blocks but for the task it runs.
 */
public final class StreamContext implements AutoCloseable {
    private static final ThreadLocal<StreamContext> BOUND = new ThreadLocal<>();

    private final Device device;
    private final List<Stream> streams; // by ordinal, of the device's backend
    private volatile boolean closed;

    private StreamContext(Device device, List<Stream> streams) {
        this.device = device;
        this.streams = streams;
    }

    /**
     * Returns what is current on the calling thread: on a platform thread its device and streams, of all devices of
     * that device's backend; on a virtual thread the context that its task runs in, else its carrier's. Starts the
     * backend.
     *
     * @return a new context, to be closed
     */
    public static StreamContext current() {
        StreamContext bound = BOUND.get();
        if (bound != null && Threads.isVirtual()) {
            return bound.copy();
        }
        Device device = Device.current();
        List<Stream> streams = new ArrayList<>();
        for (int i = 0; i < Math.max(device.backend().deviceCount(), device.ordinal() + 1); i++) {
            streams.add(retained(Stream.current(Device.of(device.backend(), i))));
        }
        return new StreamContext(device, List.copyOf(streams));
    }

    private StreamContext copy() {
        requireOpen();
        return new StreamContext(device, streams.stream().map(StreamContext::retained).toList());
    }

    private static Stream retained(Stream stream) {
        return stream.handle.number == Stream.defaultStream(stream.device()).handle.number ? stream : stream.retain();
    }

    /** {@return the context that the calling thread's task runs in, by this class; empty if none} */
    public static Optional<StreamContext> bound() {
        return Optional.ofNullable(BOUND.get());
    }

    /** {@return the device that is current in it} */
    public Device device() {
        return device;
    }

    /** {@return the stream that is current in it on its device; valid while this context is open} */
    public Stream stream() {
        return streams.get(device.ordinal());
    }

    /**
     * {@return the stream that is current in it on a device; valid while this context is open}
     *
     * @param device a device of the same backend
     * @throws IllegalArgumentException if it is of another backend, or there is no such device
     */
    public Stream stream(Device device) {
        Objects.requireNonNull(device, "device");
        if (device.backend() != this.device.backend() || device.ordinal() >= streams.size()) {
            throw new IllegalArgumentException(device + " is none of the context's devices");
        }
        return streams.get(device.ordinal());
    }

    /**
     * Runs a task in this context.
     *
     * @param task what to run
     * @throws IllegalStateException if the context is closed
     */
    public void run(Runnable task) {
        Objects.requireNonNull(task, "task");
        try {
            call(() -> {
                task.run();
                return null;
            });
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Runs a task in this context.
     *
     * @param task what to run
     * @param <T> the type of its result
     * @return its result
     * @throws IllegalStateException if the context is closed
     * @throws Exception what the task throws
     */
    public <T> T call(Callable<T> task) throws Exception {
        Objects.requireNonNull(task, "task");
        requireOpen();
        StreamContext outer = BOUND.get();
        BOUND.set(this);
        StreamScope outermost = null;
        try {
            if (!Threads.isVirtual()) {
                outermost = enter();
            }
            return task.call();
        } finally {
            if (outermost != null) {
                outermost.unwind(); // also ends scopes that the task left open
            }
            if (outer != null) {
                BOUND.set(outer);
            } else {
                BOUND.remove();
            }
        }
    }

    // Only what differs is changed, and the current device's stream last, as each of them changes the device.
    private StreamScope enter() {
        StreamScope outermost = null;
        try {
            for (Stream stream : streams) {
                boolean last = stream == stream();
                if (!last && stream.handle.number != Stream.current(stream.device()).handle.number) {
                    StreamScope scope = stream.scope();
                    outermost = outermost == null ? scope : outermost;
                }
            }
            StreamScope scope = stream().scope();
            return outermost == null ? scope : outermost;
        } catch (RuntimeException failed) {
            if (outermost != null) {
                outermost.unwind();
            }
            throw failed;
        }
    }

    /**
     * Returns an executor whose tasks run in this context.
     *
     * @param target runs them
     * @return the executor; its tasks are refused once this context is closed
     */
    public Executor executor(Executor target) {
        Objects.requireNonNull(target, "target");
        return task -> {
            Objects.requireNonNull(task, "task");
            target.execute(() -> run(task));
        };
    }

    /**
     * Returns an executor whose tasks run in the context of the thread that hands them over.
     *
     * @param target runs them
     * @return the executor
     */
    public static Executor carrying(Executor target) {
        Objects.requireNonNull(target, "target");
        return task -> carry(target, Objects.requireNonNull(task, "task"));
    }

    /**
     * Returns an executor service whose tasks run in the context of the thread that hands them over. Ending it ends the
     * target.
     *
     * @param target runs them
     * @return the executor service
     */
    public static ExecutorService carrying(ExecutorService target) {
        return new CarryingExecutor(Objects.requireNonNull(target, "target"), task -> carry(target, task));
    }

    private static void carry(Executor target, Runnable task) {
        StreamContext context = current();
        try {
            target.execute(() -> {
                try (context) {
                    context.run(task);
                }
            });
        } catch (RuntimeException refused) {
            context.close();
            throw refused;
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the context is closed");
        }
    }

    /** {@return whether it is not closed} */
    public boolean isOpen() {
        return !closed;
    }

    /** Releases the streams. Later calls do nothing; tasks that run in it go on. Never throws. */
    @Override
    public void close() {
        closed = true;
        streams.forEach(Stream::close);
    }

    /** {@return device and streams} */
    @Override
    public String toString() {
        return "StreamContext[" + device + ", " + streams + "]";
    }
}
