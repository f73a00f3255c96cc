// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * The way from native threads into Java. The library is given a number beside its function; the number finds the Java
 * object here, once. Nothing ever leaves these methods as an exception: above them is native code.
 */
public final class Callbacks {
    private static final System.Logger LOG = System.getLogger("io.gpustream");
    private static final ConcurrentHashMap<Long, Object> WAITING = new ConcurrentHashMap<>();
    private static final AtomicLong NUMBERS = new AtomicLong();
    private static final ThreadLocal<Throwable> INIT_FAILURE = new ThreadLocal<>();

    /** {@code GS_ERROR_SYSTEM}: what initialisation returns for a Java function that threw. */
    private static final int FAILED = 41;

    private Callbacks() {}

    /** Runs the program's functions, so that none of them holds up the library's own thread. */
    private static final class Runner {
        static final ExecutorService THREAD = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "gpustream-callbacks");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Something that only has to stay reachable until a notification. */
    public record Kept(Object what) {}

    /** Work that runs on the notified thread itself and must neither wait nor throw. */
    @FunctionalInterface
    public interface Direct extends IntConsumer {}

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

    /** What the thread's last failed initialisation threw in Java, once; else null. */
    public static Throwable takeInitFailure() {
        Throwable failure = INIT_FAILURE.get();
        if (failure != null) {
            INIT_FAILURE.remove();
        }
        return failure;
    }

    /** Called by native code: the work before a notification is done. */
    public static void notified(long number, int status) {
        try {
            if (WAITING.remove(number) instanceof Direct direct) {
                direct.accept(status);
            }
        } catch (Throwable thrown) {
            report("a notification of gpustream failed", thrown);
        }
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

    /** Called by native code: a message without a caller; the level is GS_LOG_*. */
    public static void logged(int level, String text) {
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
     * Sends the library's messages to System.Logger "io.gpustream", unless {@code -Dgpustream.log=native} leaves them
     * to the library. At shutdown they go back to the library: native code may outlive the virtual machine.
     */
    static void install(Layer layer) {
        if ("native".equals(System.getProperty("gpustream.log"))) {
            return;
        }
        layer.library().setLogCallback(layer.bridge().logFunction(), 0);
        try {
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> layer.library().setLogCallback(0, 0), "gpustream-shutdown"));
        } catch (IllegalStateException shuttingDown) {
            layer.library().setLogCallback(0, 0);
        }
    }
}
