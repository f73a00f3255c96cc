// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notices memory that was never closed. It is not freed then: a device may still work on it, and only the program knew.
 */
final class Leak implements Runnable {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final System.Logger LOG = System.getLogger("io.gpustream");

    private final String what;
    private final AtomicBoolean open = new AtomicBoolean(true);
    private Cleaner.Cleanable registration;

    private Leak(String what) {
        this.what = what;
    }

    static Leak watch(Object owner, String what) {
        Leak leak = new Leak(what);
        leak.registration = CLEANER.register(owner, leak);
        return leak;
    }

    boolean isOpen() {
        return open.get();
    }

    /** True for the one caller that may free. */
    boolean end() {
        return open.getAndSet(false);
    }

    /** It is freed: nothing is left to notice. */
    void done() {
        registration.clean();
    }

    /** The freeing failed: somebody may try again. */
    void undo() {
        open.set(true);
    }

    @Override
    public void run() {
        if (open.get()) {
            LOG.log(System.Logger.Level.WARNING, "{0} was never closed; it stays allocated", what);
        }
    }
}
