// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.lifetime;

import io.gpustream.internal.Scratch;

/**
 * Something that has to be ended once: by its owner's close or, if that is forgotten, by the reaper when the owner is
 * unreachable. Does what a {@link java.lang.ref.Cleaner} does, without the locks that dominate the cost of creating and
 * closing an object in Java (docs/design/java.md).
 */
abstract class Watch extends WatchList.Entry {
    private final boolean owned; // false: there is nothing to end

    /**
     * Watches an owner, which must be reachable until the constructor has returned; null: watches nothing.
     *
     * @param scratch the calling thread's
     */
    Watch(Object owner, Scratch scratch) {
        super(owner);
        owned = owner != null;
        if (owned) {
            WatchList.of(scratch).add(this);
        }
    }

    /** {@return whether there is something to end, or was} */
    public final boolean isOwned() {
        return owned;
    }

    /** {@return true for the one caller, on any thread, that is to do what ending means} */
    final boolean end() {
        if (!owned || !setEnded()) {
            return false;
        }
        leavePlace();
        return true;
    }

    @Override
    public final void reap() {
        WatchList.removeOrphan(this);
        if (end()) {
            forgotten();
        }
    }

    /** The owner is unreachable and was never closed. Called once, on the reaper's thread; must not block. */
    abstract void forgotten();
}
