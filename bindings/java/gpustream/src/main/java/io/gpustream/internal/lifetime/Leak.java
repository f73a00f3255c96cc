// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.lifetime;

import io.gpustream.internal.Scratch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Watches a resource that only the program may free, since only it knows whether a device still uses it. If the owner
 * is forgotten, the resource stays allocated and a warning is logged.
 */
public final class Leak extends Watch {
    private static final System.Logger LOG = System.getLogger("io.gpustream");

    private final String what;
    private final String details;
    private final AtomicBoolean usable = new AtomicBoolean(true);

    /** Watches {@code owner}; null: nothing. Errors name {@code what}; the warning adds {@code details}. */
    public Leak(Object owner, String what, String details) {
        super(owner, Scratch.get());
        this.what = what;
        this.details = details;
    }

    /** Watches the owner of memory. An owner of 0 bytes has no memory that could leak. */
    public static Leak ofMemory(Object owner, String what, long bytes) {
        return new Leak(bytes == 0 ? null : owner, what, " of " + bytes + " bytes");
    }

    /** {@return whether the resource is neither freed nor being freed} */
    public boolean isUsable() {
        return usable.get();
    }

    /** Throws IllegalStateException if the resource is freed or being freed. */
    public void requireUsable() {
        if (!usable.get()) {
            throw new IllegalStateException(what + " is closed");
        }
    }

    /**
     * Frees the resource, unless that has happened. If the function throws, nothing has changed and a later call may
     * try again.
     *
     * @return whether this call freed it
     */
    public boolean free(Runnable function) {
        if (!usable.compareAndSet(true, false)) {
            return false;
        }
        try {
            function.run();
        } catch (Throwable refused) { // an Error too, such as the lack of direct memory
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
