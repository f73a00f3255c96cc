// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Belongings;
import io.gpustream.internal.Constants;
import io.gpustream.internal.Layouts;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.util.Optional;

/**
 * An executable graph, made by {@link Graph#instantiate}.
 *
 * <p>Launches of one executable take effect one after the other, whichever threads and streams they come from; branches
 * of the graph that do not depend on each other may overlap. Changes concern later launches only: neither the graph nor
 * launches already submitted. A changed node is named by the graph that the executable was made from, which must be
 * open.
 *
 * <p>Ownership, threads, blocking and errors are as for {@link Stream}; every object is owned. Closing it leaves
 * submitted launches in force.
 */
public final class GraphExec extends GraphExecChanges implements NativeParameter {
    private GraphExec(long number, Keeper keeper) {
        super(number, keeper);
    }

    /** {@link Graph#instantiate}. */
    static GraphExec of(Graph graph, InstantiateFlag[] flags) {
        int bits = Call.bits(flags, flag -> flag.bit);
        long number = graph.handle.use();
        // Before it is made: the library ties what a graph keeps to the executables made later.
        Belongings belongings = graph.holding.prepare();
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.graphInstantiate(number, bits, scratch.address), graph);
        return new GraphExec(scratch.getLong(), new Keeper(belongings));
    }

    /**
     * {@return the driver's executable, a cudaGraphExec_t, for other libraries; not to be destroyed, valid until it
     * ends}
     */
    public long nativeHandle() {
        return Call.forLong(out -> Native.CALLS.graphExecNative(handle.use(), out), this);
    }

    /** {@return another object for the same executable, with a reference of its own; changes are common to both} */
    public GraphExec retain() {
        Failure.check(Native.CALLS.graphExecRetain(handle.use()), this);
        return new GraphExec(handle.number, keeper);
    }

    /**
     * Submits the graph's work to a stream: it starts when the earlier work of the stream and this executable's
     * previous launch are done. Allocates nothing.
     *
     * @param stream a stream of the graph's device
     * @throws GpuStreamException DEVICE_MISMATCH, CAPTURING while the stream is captured, which stays intact:
     *     {@link Graph#addGraph} puts a graph into another one
     */
    public void launch(Stream stream) {
        Failure.check(Native.CALLS.graphExecLaunch(handle.use(), numberOf(stream, "stream")), this, stream);
    }

    /** Submits the work to the calling thread's current stream, as {@link #launch(Stream)} does. */
    public void launch() {
        Failure.check(Native.CALLS.graphExecLaunch(handle.use(), Constants.STREAM_CURRENT), this);
    }

    /**
     * Moves to the device what the first launch needs, in stream order, so that this launch is as fast as later ones.
     *
     * @param stream a stream of the graph's device
     * @throws GpuStreamException DEVICE_MISMATCH, CAPTURING while the stream is captured
     */
    public void upload(Stream stream) {
        Failure.check(Native.CALLS.graphExecUpload(handle.use(), numberOf(stream, "stream")), this, stream);
    }

    /**
     * Lets the executable run what another graph of the same nodes and dependencies says. Nodes are still named by the
     * graph that it was made from. If the graph differs in more than parameters, that is the result, and nothing has
     * changed.
     *
     * @param graph the graph, of the same device
     * @return whether it was updated, or what differs
     * @throws GpuStreamException DEVICE_MISMATCH, NOT_PERMITTED (a body)
     */
    public UpdateResult update(Graph graph) {
        long source = numberOf(graph, "graph");
        long number = handle.use();
        Belongings next = graph.holding.prepare();
        Scratch scratch = Scratch.get();
        int status;
        UpdateReason reason;
        synchronized (keeper) {
            status = Native.CALLS.graphExecUpdate(number, source, Layouts.GRAPH_UPDATE.prepare(scratch));
            reason = UpdateReason.of(Layouts.GRAPH_UPDATE.getInt(scratch, "reason"));
            if (status == 0 && reason == UpdateReason.OK) {
                keeper.now = next;
            }
        }
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(graph);
        Failure.check(status);
        long node = Layouts.GRAPH_UPDATE.getLong(scratch, "node");
        return new UpdateResult(reason, node == 0 ? Optional.empty() : Optional.of(new GraphNode(graph, node)));
    }
}
