// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Set;

/** Objects and registered numbers that are forgotten together, when the library releases the number that this has. */
public final class Belongings implements Callbacks.Ending {
    private final Set<Object> objects = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Long> numbers = new HashSet<>();
    private boolean over;

    /** Keeps an object reachable, once however often it is added. */
    public synchronized void add(Object what) {
        if (!over) {
            objects.add(what);
        }
    }

    /** Registers an object for native code to name. */
    public synchronized long register(Object target) {
        long number = Callbacks.register(target);
        if (over) {
            Callbacks.forget(number);
        } else {
            numbers.add(number);
        }
        return number;
    }

    /** Takes back what the library refused. */
    public synchronized void forget(long number) {
        numbers.remove(number);
        Callbacks.forget(number);
    }

    @Override
    public synchronized void ended() {
        over = true;
        numbers.forEach(Callbacks::forget);
        numbers.clear();
        objects.clear();
    }
}
