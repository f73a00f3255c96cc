// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.lifetime;

import io.gpustream.internal.Callbacks;
import java.lang.ref.ReferenceQueue;

/**
 * The daemon thread "gpustream-reaper". It takes from the queue the references whose referents are unreachable, and
 * runs what each of them does then. Starts with the first list of watches and lives as long as these classes.
 */
final class Reaper implements Runnable {
    static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();

    private static volatile boolean started;

    /** A reference of the queue. */
    interface Reapable {
        /** The referent is unreachable. Called once, on the reaper's thread; must not block. */
        void reap();
    }

    private Reaper() {}

    /**
     * Starts the thread unless it runs. Where that fails, the next call tries again: what is unreachable stays in the
     * queue until then, and what is closed needs no thread.
     */
    static void start() {
        if (!started) {
            startOnce();
        }
    }

    private static synchronized void startOnce() {
        if (started) {
            return;
        }
        Thread thread = new Thread(null, new Reaper(), "gpustream-reaper", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null); // keeps no class loader of the program reachable
        try {
            thread.start();
            started = true;
        } catch (OutOfMemoryError noThread) {
            Callbacks.report("forgotten objects are not given back until the thread for that can be started", noThread);
        }
    }

    @Override
    public void run() {
        while (true) {
            try {
                if (QUEUE.remove() instanceof Reapable reference) {
                    reference.reap();
                }
            } catch (InterruptedException ignored) {
                // A daemon has nothing to stop for.
            } catch (Throwable thrown) {
                Callbacks.report("giving back a forgotten object failed", thrown);
            }
        }
    }
}
