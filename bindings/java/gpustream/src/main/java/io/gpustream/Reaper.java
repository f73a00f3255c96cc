// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.HashSet;
import java.util.Set;

/** The daemon thread that ends what nobody closed. It lives as long as these classes. */
final class Reaper implements Runnable {
    static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();

    static {
        Thread thread = new Thread(null, new Reaper(), "gpustream-reaper", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null); // that of whoever came first must not be kept
        thread.start();
    }

    /** Watches of threads that have ended, until their owners are unreachable. References are equal by identity. */
    private final Set<Watch> orphans = new HashSet<>();

    private Reaper() {}

    @Override
    public void run() {
        while (true) {
            try {
                take(QUEUE.remove());
            } catch (InterruptedException nobodysBusiness) {
                // There is nothing to stop: the thread is a daemon.
            } catch (Throwable thrown) {
                Callbacks.report("giving back a forgotten object failed", thrown);
            }
        }
    }

    private void take(Reference<?> gone) {
        if (gone instanceof Watch watch) {
            orphans.remove(watch);
            if (watch.end()) {
                watch.forgotten();
            }
        } else if (gone instanceof WatchList list) {
            list.handOver(orphans);
        }
    }
}
