// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;

/** Functions of Java that are part of the work: nodes of graphs, and functions that hold a stream. */
public final class HostFunctions {
    private HostFunctions() {}

    /** A function for which the work behind it waits. */
    public record Held(Runnable function, boolean once) {}

    /** The number of threads has no bound: each branch of a graph must go on alone. */
    private static final class Runner {
        static final ThreadPoolExecutor THREADS =
                Callbacks.threads("gpustream-host-functions", Integer.MAX_VALUE, new SynchronousQueue<>(), () -> {
                    Callbacks.forbidWaits(Constants.FORBID_AS_HOST_FUNCTION);
                });
    }

    /** Runs the function and then {@code ran}, whatever happens: work of a device waits for that. */
    static void run(long number, Runnable ran) {
        try {
            if (Callbacks.find(number) instanceof Held held) {
                if (held.once) {
                    Callbacks.forget(number);
                }
                Callbacks.execute(Runner.THREADS, Threads.knowing(() -> call(held.function, ran)));
                return;
            }
        } catch (Throwable noThread) {
            Callbacks.report("a host function was not run", noThread);
        }
        ran.run();
    }

    private static void call(Runnable function, Runnable ran) {
        try {
            function.run();
        } catch (Throwable thrown) {
            Callbacks.report("a host function threw", thrown);
        } finally {
            ran.run();
        }
    }
}
