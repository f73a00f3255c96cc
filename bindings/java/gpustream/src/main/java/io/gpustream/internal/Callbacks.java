// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Java objects that the library knows by number, and the threads that run the program's functions. A number finds its
 * object once.
 */
public final class Callbacks {
    private static final System.Logger LOG = System.getLogger("io.gpustream");
    private static final ConcurrentHashMap<Long, Object> WAITING = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final ConcurrentLinkedQueue<Runnable> AT_END = new ConcurrentLinkedQueue<>();
    private static final ThreadLocal<Throwable> INIT_FAILURE = new ThreadLocal<>();
    private static final ThreadLocal<Throwable> BRIDGE_FAILURE = new ThreadLocal<>();

    /** Functions of the library's side that stand for one of Java; native/gates.h has the same numbers. */
    public static final int ON_INIT = 0;
    public static final int ON_RELEASE = 1;
    public static final int ON_END = 2;
    public static final int ON_RUN = 3;
    public static final int ON_REPORT = 4;

    /** Gathers a text. Its argument is the address of three words: those of the text, its size and its room, at first 0. */
    public static final int ON_TEXT = 5;

    /** Sends the library's messages to {@link Upcalls#logged}, or to a note. */
    public static final int ON_MESSAGE = 6;

    private static volatile Calls calls;
    private static volatile Bridge bridge;
    static volatile boolean over; // the virtual machine ends, and calls no function that comes from now on

    private Callbacks() {}

    /** The layer's, before the first thread starts and the first message comes. */
    static void use(Calls loaded, Bridge itsBridge) {
        calls = loaded;
        Threads.use(loaded, itsBridge);
        bridge = itsBridge;
    }

    /** Runs the program's functions, so that none of them holds up notes. */
    private static final class Runner {
        static final ThreadPoolExecutor THREAD = threads("gpustream-callbacks", 1, new LinkedBlockingQueue<>(), () -> {
            forbidWaits(Constants.FORBID_AS_NOTIFICATION);
        });
    }

    /** Logs for native threads: a slow logger delays neither notes nor the program's functions. */
    private static final class Log {
        static final ThreadPoolExecutor THREAD = threads("gpustream-log", 1, new LinkedBlockingQueue<>(), () -> {});
    }

    /**
     * Completes futures. The number of threads has no bound, since what depends on a future may wait for another one;
     * the common pool has a thread or two on a small machine.
     */
    private static final class Completer {
        static final ThreadPoolExecutor THREADS =
                threads("gpustream-completions", Integer.MAX_VALUE, new SynchronousQueue<>(), () -> {});
    }

    /** The calling thread runs functions that others wait for: waits on it are refused. kind: FORBID_AS_*. */
    static void forbidWaits(int kind) {
        ByteBuffer before = ByteBuffer.allocateDirect(Integer.BYTES);
        int status = calls.forbidSync(kind, bridge.addressOf(before));
        Reference.reachabilityFence(before);
        if (status != Constants.OK) {
            report("a thread for functions could not be marked", new IllegalStateException("status " + status));
        }
    }

    /** Daemon threads that end when they have had nothing to do for 10 seconds. Each first runs {@code begin}. */
    static ThreadPoolExecutor threads(String name, int most, BlockingQueue<Runnable> queue, Runnable begin) {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(1, most, 10, TimeUnit.SECONDS, queue, task -> {
                    // Any thread may be the one that starts it, whose inheritable thread locals are not for others.
                    Runnable body = () -> {
                        begin.run();
                        task.run();
                    };
                    Thread thread = new Thread(null, body, name, 0, false);
                    thread.setDaemon(true);
                    thread.setContextClassLoader(ClassLoader.getSystemClassLoader()); // as a program's own threads have
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** Runs what a note brought, exactly once: on the calling thread where no other can be started. */
    static void execute(ThreadPoolExecutor threads, Runnable task) {
        try {
            threads.execute(task);
        } catch (OutOfMemoryError noThread) {
            threads.remove(task); // it may be queued already
            task.run();
        }
    }

    /** Something that only has to stay reachable until a notification. */
    public record Kept(Object what) {}

    /** What happens when work is done, on the thread that takes notes: it must not wait. */
    @FunctionalInterface
    public interface Direct {
        /** With a gs_status_t. */
        void accept(int status);

        /** The virtual machine ends before the result is known. */
        default void dropped() {}
    }

    /** Something else that ends when the library releases it, on the thread that takes notes: it must not wait. */
    @FunctionalInterface
    public interface Ending {
        void ended();
    }

    /** Another library's current stream, called for as long as it is registered. */
    public interface Bridged {
        long get(int ordinal);

        void set(int ordinal, long nativeHandle);

        void setDevice(int ordinal);
    }

    /** A receiver of the ordering checker's reports, for as long as the process runs. */
    @FunctionalInterface
    public interface Reports {
        void accept(String text, String json);
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

    /** The object registered under a number, which stays registered; null if there is none. */
    static Object find(long number) {
        return WAITING.get(number);
    }

    /** How many registered objects wait for the library. */
    public static int waiting() {
        return WAITING.size();
    }

    /** Runs a function of the program on the thread for callbacks; what it throws is reported. */
    public static void run(Runnable function) {
        execute(Runner.THREAD, Threads.knowing(() -> {
            try {
                function.run();
            } catch (Throwable thrown) {
                report("a function given to gpustream threw", thrown);
            }
        }));
    }

    /** Completes a future, on a thread that may run what depends on it. */
    public static void complete(Runnable completion) {
        Completer.THREADS.execute(Threads.knowing(completion));
    }

    /** What the thread's last failed initialisation threw in Java, once; else null. */
    public static Throwable takeInitFailure() {
        return takeFailure(INIT_FAILURE);
    }

    private static Throwable takeFailure(ThreadLocal<Throwable> of) {
        Throwable failure = of.get();
        of.remove();
        return failure;
    }

    static void setInitFailure(Throwable failure) {
        INIT_FAILURE.set(failure);
    }

    /** What a function of a bridge threw during the thread's last call, once; else null. */
    public static Throwable takeBridgeFailure() {
        return takeFailure(BRIDGE_FAILURE);
    }

    static void setBridgeFailure(Throwable failure) {
        BRIDGE_FAILURE.set(failure);
    }

    /** The library registered under a number, which stays registered. */
    static Bridged bridged(long number) {
        return (Bridged) Objects.requireNonNull(find(number), "no bridge has this number");
    }

    /** The function registered under a number, which is forgotten; null if there is none. */
    static Runnable take(long number) {
        return WAITING.remove(number) instanceof Runnable function ? function : null;
    }

    /** The work before a notification is done. */
    static void done(long number, int status) {
        if (WAITING.remove(number) instanceof Direct direct) {
            direct.accept(status);
        }
    }

    /** What the library had of Java is no longer needed. A release function runs on the thread for callbacks. */
    static void releaseLater(long number) {
        Object released = WAITING.remove(number);
        if (released instanceof Runnable release) {
            run(release);
        } else if (released instanceof Ending ending) {
            ending.ended();
        }
    }

    /** A report for a registered receiver, on the thread for callbacks. */
    static void reported(long number, String text, String json) {
        if (find(number) instanceof Reports receiver) {
            run(() -> receiver.accept(text, json));
        }
    }

    static String text(long address) {
        return bridge.text(address);
    }

    static void logLater(int level, String text) {
        execute(Log.THREAD, () -> log(level, text));
    }

    static void log(int level, String text) {
        try {
            System.Logger.Level severity =
                    switch (level) {
                        case Constants.LOG_ERROR -> System.Logger.Level.ERROR;
                        case Constants.LOG_WARNING -> System.Logger.Level.WARNING;
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

    /** Whether functions come too late. */
    public static boolean isOver() {
        return over;
    }

    /** Runs something when the virtual machine ends. It must not wait. */
    static void atEnd(Runnable function) {
        AT_END.add(function);
    }

    /** The virtual machine ends: writes the messages that are left, and drops what waits for the library. */
    static void end(long patienceMs) throws InterruptedException {
        try {
            Log.THREAD.shutdown();
            Log.THREAD.awaitTermination(patienceMs, TimeUnit.MILLISECONDS);
        } finally {
            AT_END.forEach(Runnable::run);
            for (Long number : WAITING.keySet()) {
                if (WAITING.get(number) instanceof Direct direct && WAITING.remove(number, direct)) {
                    direct.dropped();
                }
            }
        }
    }
}
