// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The way from native code into Java. The library is given a number; the number finds the Java object here, once.
 * Nothing ever leaves what native code calls as an exception.
 */
public final class Callbacks {
    private static final System.Logger LOG = System.getLogger("io.gpustream");
    private static final ConcurrentHashMap<Long, Object> WAITING = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final ThreadLocal<Throwable> INIT_FAILURE = new ThreadLocal<>();

    /** {@code GS_ERROR_SYSTEM}: what initialisation returns for a Java function that threw. */
    private static final int FAILED = 41;

    /** How long the end of the virtual machine waits for what is nearly done. */
    private static final long PATIENCE_MS = 250;

    private Callbacks() {}

    /** Runs the program's functions, so that none of them holds up notes. */
    private static final class Runner {
        static final ThreadPoolExecutor THREAD = threads("gpustream-callbacks", 1, new LinkedBlockingQueue<>());
    }

    /** Logs for threads that are not Java's: neither notes nor the program's functions wait for a logger. */
    private static final class Log {
        static final ThreadPoolExecutor THREAD = threads("gpustream-log", 1, new LinkedBlockingQueue<>());
    }

    /**
     * Completes futures. As many threads as it takes, since what depends on a future may wait for another one; the
     * common pool has a thread or two on a small machine.
     */
    private static final class Completer {
        static final ThreadPoolExecutor THREADS =
                threads("gpustream-completions", Integer.MAX_VALUE, new SynchronousQueue<>());
    }

    private static ThreadPoolExecutor threads(String name, int most, BlockingQueue<Runnable> queue) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, most, 10, TimeUnit.SECONDS, queue, task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    // As a program's own threads have it, not the none of the thread that takes notes.
                    thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Something that only has to stay reachable until a notification. */
    public record Kept(Object what) {}

    /** What happens when work is done, on the thread that takes notes: it must not wait. */
    @FunctionalInterface
    public interface Direct {
        /** With a gs_status_t. */
        void accept(int status);

        /** The virtual machine ends, and nobody will ever know. */
        default void dropped() {}
    }

    public static long register(Object target) {
        long number = NUMBERS.incrementAndGet();
        WAITING.put(number, target);
        return number;
    }

    /** Takes back what the library refused. */
    public static void forget(long number) {
        WAITING.remove(number);
    }

    /** How many registered objects wait for the library. */
    public static int waiting() {
        return WAITING.size();
    }

    /** Runs a function of the program on the thread for callbacks; what it throws is reported. */
    public static void run(Runnable function) {
        Runner.THREAD.execute(() -> {
            try {
                function.run();
            } catch (Throwable thrown) {
                report("a function given to gpustream threw", thrown);
            }
        });
    }

    /** Completes a future, on a thread that may run what depends on it. */
    public static void complete(Runnable completion) {
        Completer.THREADS.execute(completion);
    }

    /** What the thread's last failed initialisation threw in Java, once; else null. */
    public static Throwable takeInitFailure() {
        Throwable failure = INIT_FAILURE.get();
        if (failure != null) {
            INIT_FAILURE.remove();
        }
        return failure;
    }

    /** The work before a notification is done. */
    static void done(long number, int status) {
        if (WAITING.remove(number) instanceof Direct direct) {
            direct.accept(status);
        }
    }

    /** A wrapped stream is no longer needed, says a thread that must not run the program's function. */
    static void releaseLater(long number) {
        if (WAITING.remove(number) instanceof Runnable release) {
            run(release);
        }
    }

    static void logLater(int level, String text) {
        Log.THREAD.execute(() -> log(level, text));
    }

    /** Called by native code: a wrapped stream is no longer needed. */
    public static void released(long number) {
        try {
            if (WAITING.remove(number) instanceof Runnable release) {
                Scratch.nested(release);
            }
        } catch (Throwable thrown) {
            report("the release function of a stream threw", thrown);
        }
    }

    /** Called by native code: the library initialises. Returns a gs_status_t. */
    public static int initialised(long number) {
        try {
            if (WAITING.remove(number) instanceof Runnable function) {
                Scratch.nested(function);
            }
            return 0;
        } catch (Throwable thrown) {
            INIT_FAILURE.set(thrown);
            return FAILED;
        }
    }

    /** Called by native code, within a call of this thread: a message without a caller; the level is GS_LOG_*. */
    public static void logged(int level, String text) {
        try {
            Scratch.nested(() -> log(level, text));
        } catch (Throwable thrown) {
            report("a message of gpustream was lost", thrown);
        }
    }

    private static void log(int level, String text) {
        try {
            System.Logger.Level severity =
                    switch (level) {
                        case 1 -> System.Logger.Level.ERROR;
                        case 2 -> System.Logger.Level.WARNING;
                        default -> System.Logger.Level.DEBUG;
                    };
            LOG.log(severity, text);
        } catch (Throwable thrown) {
            report("the logger failed", thrown);
        }
    }

    public static void report(String what, Throwable thrown) {
        try {
            LOG.log(System.Logger.Level.ERROR, what, thrown);
        } catch (Throwable broken) {
            // A logger that fails has nowhere left to say so but here.
            System.err.println("gpustream: " + what + ": " + thrown + " (and the logger failed: " + broken + ")");
        }
    }

    /**
     * Opens the way: from now on notes are taken, and the library's messages go to System.Logger "io.gpustream" unless
     * {@code -Dgpustream.log=native} leaves them to the library. It is closed when the virtual machine ends, which
     * native code may outlive.
     */
    static void install(Layer layer) {
        Bridge bridge = layer.bridge();
        Thread notes = Notes.start(bridge);
        if (!"native".equals(System.getProperty("gpustream.log"))) {
            bridge.receiveLog();
        }
        Thread end = new Thread(() -> close(bridge, notes), "gpustream-shutdown");
        try {
            Runtime.getRuntime().addShutdownHook(end);
        } catch (IllegalStateException shuttingDown) {
            end.run();
        }
    }

    /** Waits for nothing without a bound: whoever ends the virtual machine may be inside, and waits for this. */
    private static void close(Bridge bridge, Thread notes) {
        bridge.close();
        try {
            notes.join(PATIENCE_MS);
            Log.THREAD.shutdown();
            Log.THREAD.awaitTermination(PATIENCE_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
        for (Long number : WAITING.keySet()) {
            if (WAITING.get(number) instanceof Direct direct && WAITING.remove(number, direct)) {
                direct.dropped();
            }
        }
    }
}
