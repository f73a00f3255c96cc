// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;

/**
 * Frees what only the program may free, and notices if it never did. It is not freed then: a device may still work on
 * it, and only the program knew.
 */
final class Leak extends Watch {
    private static final System.Logger LOG = System.getLogger("io.gpustream");

    private final String what;
    private final String details;
    private final AtomicBoolean usable = new AtomicBoolean(true);

    /** Watches {@code owner}; {@code details} are said beside {@code what} if it is never freed. */
    Leak(Object owner, String what, String details) {
        super(owner);
        this.what = what;
        this.details = details;
    }

    boolean isUsable() {
        return usable.get();
    }

    /** Throws IllegalStateException if it is freed, or about to be. */
    void requireUsable() {
        if (!usable.get()) {
            throw new IllegalStateException(what + " is closed");
        }
    }

    /**
     * Calls the function that frees, which returns a status, unless that has happened. If it throws or refuses, nothing
     * has changed and somebody may try again. Returns whether it is this call that freed.
     */
    boolean free(IntSupplier function) {
        if (!usable.compareAndSet(true, false)) {
            return false;
        }
        try {
            Failure.check(function.getAsInt());
        } catch (RuntimeException refused) {
            usable.set(true);
            throw refused;
        }
        end();
        return true;
    }

    @Override
    void forgotten() {
        LOG.log(System.Logger.Level.WARNING, "{0} was never closed; it stays allocated", what + details);
    }
}
