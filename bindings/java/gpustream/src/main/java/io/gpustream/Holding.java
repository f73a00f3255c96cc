// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Belongings;
import io.gpustream.internal.Callbacks;
import io.gpustream.internal.Native;

/**
 * What a graph and the executables made from it keep reachable. The library has one number for all of it, which it
 * releases when graph, executables and launches have ended. It must have that number before an executable is made.
 */
final class Holding {
    private final long graph;
    private Belongings belongings;

    /** Of a live graph that is no body. */
    Holding(long graph) {
        this.graph = graph;
    }

    /** Registers it with the library, unless that has happened. The caller keeps the graph's object reachable. */
    synchronized Belongings prepare() {
        if (belongings == null) {
            Belongings made = new Belongings();
            keep(graph, made);
            belongings = made;
        }
        return belongings;
    }

    /** Lets a live graph, also one that is being captured, keep one thing more. */
    static void keep(long graph, Object what) {
        Call.registering(what, number -> passOn(graph, number));
    }

    /** The same for what is registered under a number, which is forgotten if the graph cannot keep it. */
    static void keep(long graph, long number) {
        int status = passOn(graph, number);
        if (status != 0) {
            Callbacks.forget(number);
            throw Failure.of(status);
        }
    }

    /** Returns the status of the call that gives a registered object to a graph. */
    static int passOn(long graph, long number) {
        return Native.CALLS.graphKeep(
                graph, Native.BRIDGE.function(Callbacks.ON_END), Native.BRIDGE.argument(number));
    }
}
