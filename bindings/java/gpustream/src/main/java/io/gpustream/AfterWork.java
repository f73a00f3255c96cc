// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Callbacks;
import io.gpustream.internal.HostFunctions;
import io.gpustream.internal.Native;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.util.function.LongToIntFunction;

/** What happens once a stream's work is done: notifications, and the end of keeping its operands reachable. */
final class AfterWork {
    private AfterWork() {}

    /** Runs a function, for which later work waits; in a capture, at each launch of the graph. */
    static void launch(Handle stream, Runnable function) {
        long handle = stream.use();
        boolean captured = CaptureInfo.of(handle).state() != CaptureState.NONE;
        long graph = captured ? CaptureInfo.graphOf(handle) : 0;
        if (captured && graph == 0) {
            throw Failure.of(
                    Status.CAPTURING,
                    "other code captures the stream, or the capture is broken: no graph can keep the function");
        }
        Call.registering(new HostFunctions.Held(function, !captured), number -> {
            if (captured) {
                Holding.keep(graph, number);
            }
            return Native.CALLS.streamLaunchHost(
                    handle, Native.BRIDGE.function(Callbacks.ON_RUN), Native.BRIDGE.argument(number));
        });
    }

    /**
     * Submits work and keeps reachable, until it is done, what the garbage collector could take. The function is given
     * the stream's number and returns a status. The caller keeps the handle's owner reachable.
     */
    static void submitKeeping(Handle stream, Object what, LongToIntFunction submit) {
        // With a reference of its own: another thread may close the stream between the work and the notification.
        long number = stream.use();
        Failure.check(Native.CALLS.streamRetain(number));
        try {
            Failure.check(submit.applyAsInt(number));
            keepUntilDone(stream, number, what);
        } finally {
            Handle.giveBack(Handle.Kind.STREAM, number);
            Reference.reachabilityFence(what);
        }
    }

    private static void keepUntilDone(Handle stream, long number, Object what) {
        long kept = Callbacks.register(new Callbacks.Kept(what));
        int status = Native.BRIDGE.notifyOn(number, kept);
        // The work is submitted and must not seem to have failed. In a capture there is no moment at which it is done:
        // the graph keeps the object. Where other code captures, the graph is out of reach: the stream's handle keeps the
        // object, and the program keeps the object for as long as that graph may run. After any other refusal it stays
        // registered, a leak that is better than memory freed under a device.
        if (status == Status.CAPTURING.code()) {
            long graph = CaptureInfo.graphOf(number);
            if (graph == 0 || Holding.passOn(graph, kept) != 0) {
                Callbacks.forget(kept);
                stream.keep(what);
            }
        }
    }
}
