// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Captures of a {@link Stream}. Only streams are one. */
public sealed interface StreamCaptures permits Stream {
    private Handle held() {
        return ((StreamNatives) this).handle;
    }

    /**
     * Begins to capture this stream into a new graph, in mode GLOBAL as PyTorch does.
     *
     * @return the capture, to be ended by {@link Capture#end}
     * @throws GpuStreamException as {@link Stream#capture(CaptureMode)}
     */
    default Capture capture() {
        return capture(CaptureMode.GLOBAL);
    }

    /**
     * Begins to capture this stream into a new graph. The capture spreads to every stream that waits for an event
     * recorded in it, which must be waited for by this stream in the same way before the end.
     *
     * @param mode whose unsafe driver calls are refused during the capture
     * @return the capture, to be ended by {@link Capture#end}
     * @throws GpuStreamException NOT_SUPPORTED (a default stream), CAPTURING (it takes part in a capture),
     *     NOT_PERMITTED on a virtual thread, unless the mode is RELAXED
     */
    default Capture capture(CaptureMode mode) {
        Capture capture = Capture.begin(held(), null, mode, new GraphNode[0]);
        Reference.reachabilityFence(this);
        return capture;
    }

    /**
     * Begins to capture this stream into a graph that exists, also into a body of a conditional node.
     *
     * @param graph a graph of this stream's device that nothing is being captured into
     * @param mode whose unsafe driver calls are refused during the capture
     * @param after nodes of the graph that the first work waits for
     * @return the capture, to be ended by {@link Capture#end}
     * @throws GpuStreamException INVALID_ARGUMENT (a node is none of the graph's), DEVICE_MISMATCH, NOT_SUPPORTED (a
     *     default stream, or CUDA before 12.3), CAPTURING (one takes part in a capture), NOT_PERMITTED on a virtual
     *     thread, unless the mode is RELAXED
     */
    default Capture captureTo(Graph graph, CaptureMode mode, GraphNode... after) {
        Objects.requireNonNull(graph, "graph");
        Capture capture = Capture.begin(held(), graph, mode, after);
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(graph);
        return capture;
    }

    /** {@return whether the stream is being captured into a graph; never breaks the capture} */
    default boolean isCapturing() {
        return Call.forInt(out -> Native.CALLS.streamIsCapturing(held().use(), out), this) != 0;
    }

    /** {@return the capture that this stream takes part in, of whatever code; never breaks it} */
    default CaptureInfo captureInfo() {
        CaptureInfo info = CaptureInfo.of(held().use());
        Reference.reachabilityFence(this);
        return info;
    }

    /**
     * Returns the nodes that the next work put into this stream waits for.
     *
     * @param capture the capture that this stream began or joined
     * @return the nodes
     * @throws GpuStreamException NOT_PERMITTED (the stream takes part in no capture of gpustream), NOT_SUPPORTED (the
     *     driver cannot tell)
     */
    default List<GraphNode> captureNodes(Capture capture) {
        Graph graph = Objects.requireNonNull(capture, "capture").graph();
        long number = held().use();
        long[] found =
                Call.list((out, room, count) -> Native.CALLS.streamCaptureNodes(number, out, room, count));
        Reference.reachabilityFence(this);
        return Arrays.stream(found).mapToObj(node -> new GraphNode(graph, node)).toList();
    }

    /**
     * Sets the nodes that the next work put into this stream waits for: how nodes that were added to
     * {@link Capture#graph} enter the capture.
     *
     * @param nodes nodes of the graph that is being captured, instead of the present ones
     * @throws GpuStreamException INVALID_ARGUMENT (a node is none of the graph's), NOT_PERMITTED (the stream takes part
     *     in no capture of gpustream), NOT_SUPPORTED (the driver cannot)
     */
    default void setCaptureNodes(GraphNode... nodes) {
        setCaptureNodes(nodes, 0);
    }

    /**
     * Adds to the nodes that the next work put into this stream waits for; otherwise as {@link Stream#setCaptureNodes}.
     *
     * @param nodes nodes of the graph that is being captured, beside the present ones
     */
    default void addCaptureNodes(GraphNode... nodes) {
        setCaptureNodes(nodes, 1);
    }

    private void setCaptureNodes(GraphNode[] nodes, int add) {
        NodeNumbers numbers = NodeNumbers.of(Scratch.get(), nodes, "nodes");
        Failure.check(Native.CALLS.streamSetCaptureNodes(held().use(), numbers.address, numbers.count, add), numbers, this);
    }
}
