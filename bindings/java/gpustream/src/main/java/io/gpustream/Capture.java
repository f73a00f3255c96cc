// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.CaptureWatch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * A capture that has begun: work put into the stream becomes nodes of a graph instead of being executed.
 *
 * <pre>{@code
 * try (Capture capture = stream.capture()) {
 *     stream.copy(target, source);
 *     side.waitStream(stream);            // a fork: side is captured, too
 *     kernel.launch(config, side, target);
 *     stream.waitStream(side);            // the join
 *     graph = capture.end();
 * }
 * }</pre>
 *
 * <p>Closing aborts a capture that was not ended, and so does the thread "gpustream-reaper" for an object that is
 * unreachable; a graph that was captured into keeps the nodes captured until then. Unless the mode is
 * {@link CaptureMode#RELAXED}, the thread of the operating system that began the capture ends it, and a virtual thread
 * can begin none (NOT_PERMITTED); any thread may abort it. No method blocks.
 */
public final class Capture implements AutoCloseable {
    private final CaptureWatch watch;
    private final Graph graph;
    private final boolean isNew;

    private Capture(long stream, Graph into, Scratch scratch) {
        Failure.check(Native.CALLS.streamCaptureInfo(stream, Layouts.CAPTURE_INFO.prepare(scratch)));
        long id = Layouts.CAPTURE_INFO.getLong(scratch, "id");
        isNew = into == null;
        graph = isNew ? Graph.borrowed(Layouts.CAPTURE_INFO.getLong(scratch, "graph")) : into;
        watch = new CaptureWatch(stream, id, this, scratch);
    }

    /**
     * {@link Stream#capture}: into null begins a new graph. The caller keeps the owners of stream and graph reachable.
     */
    static Capture begin(Handle stream, Graph into, CaptureMode mode, GraphNode[] after) {
        int code = Objects.requireNonNull(mode, "mode").ordinal();
        Scratch scratch = Scratch.get();
        NodeNumbers before = NodeNumbers.of(scratch, after, "after");
        if (mode != CaptureMode.RELAXED) {
            Failure.requirePlatformThread("Stream.capture");
        }
        // A reference of its own: the stream may be closed before the capture has ended.
        long number = stream.use();
        Failure.check(Native.CALLS.streamRetain(number));
        boolean begun = false;
        try {
            Failure.check(
                    into == null
                            ? Native.CALLS.streamBeginCapture(number, code)
                            : Native.CALLS.streamBeginCaptureTo(
                                    number, into.handle.use(), before.address, before.count, code));
            begun = true;
            Reference.reachabilityFence(before);
            return new Capture(number, into, scratch);
        } catch (RuntimeException | Error failed) {
            if (begun) {
                Native.CALLS.streamAbortCapture(number);
            }
            Handle.giveBack(Handle.Kind.STREAM, number);
            throw failed;
        }
    }

    /**
     * Returns the graph that is being captured. Nodes can be added to it, and things kept for it; {@link
     * Stream#setCaptureNodes} lets the capture go on behind such nodes.
     *
     * @return the graph, borrowed until the capture has ended; or the one that is captured into
     */
    public Graph graph() {
        return graph;
    }

    /**
     * Ends the capture. After CAPTURING because it was broken, or because a stream that joined it was not joined back,
     * it is over, too; when refused because of the thread, it goes on.
     *
     * @return the graph, owned; or the one that was captured into
     * @throws GpuStreamException CAPTURING (broken: the text says by which call, thread and stream, if it was one of
     *     gpustream; a stream not joined back; or the wrong thread), NOT_PERMITTED (other code has ended it)
     * @throws IllegalStateException if the capture is over
     */
    public Graph end() {
        long stream = watch.use();
        Scratch scratch = Scratch.get();
        int status = Native.CALLS.streamEndCapture(stream, scratch.address);
        if (status != 0) {
            GpuStreamException failure = Failure.of(status);
            if (watch.isOver()) {
                watch.finish();
            }
            Reference.reachabilityFence(this);
            throw failure;
        }
        long ended = scratch.getLong();
        Graph result = isNew ? Graph.owned(ended, graph.holding) : graph;
        if (!isNew && !graph.isBody()) {
            Handle.giveBack(Handle.Kind.GRAPH, ended);
        }
        watch.finish();
        Reference.reachabilityFence(this);
        return result;
    }

    /** {@return whether it is neither ended nor aborted through this object; a broken capture is open} */
    public boolean isOpen() {
        return watch.isOpen();
    }

    /** Aborts the capture unless it is over. Later calls do nothing. Never throws; a failure is logged. */
    @Override
    public void close() {
        watch.abort();
        Reference.reachabilityFence(this);
    }

    /** {@return whether it is open} */
    @Override
    public String toString() {
        return isOpen() ? "Capture[open]" : "Capture[over]";
    }
}
