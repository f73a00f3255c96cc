// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Constants;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A graph: work and the order in it, captured from streams ({@link Stream#capture()}) or built node by node, to be made
 * executable and launched any number of times.
 *
 * <p>Functions, buffers, arguments, kernels and events that nodes refer to stay reachable until the graph, its
 * executables and their launches have ended; memory must stay open ({@link #onRelease} says when that is over).
 *
 * <p>Ownership, threads, blocking and errors are as for {@link Stream}. A node of another graph in {@code after}, or
 * one named twice, is INVALID_ARGUMENT. Closing a graph affects no executable. The bodies of conditional nodes are
 * borrowed.
 */
public final class Graph extends GraphWork implements NativeParameter, GraphNesting {
    private final Graph parent; // of a body, the graph that owns it
    private Device device; // asked once

    private Graph(long number, boolean owned, Holding holding, Graph parent) {
        super(number, owned, holding);
        this.parent = parent;
    }

    /** Takes over a reference. */
    static Graph owned(long number, Holding holding) {
        return new Graph(number, true, holding, null);
    }

    /** A graph that is being captured. */
    static Graph borrowed(long number) {
        return new Graph(number, false, new Holding(number), null);
    }

    /** A body of a conditional node, which shares what its graph keeps. */
    static Graph body(long number, Graph parent) {
        return new Graph(number, false, parent.holding, parent);
    }

    @Override
    Graph self() {
        return this;
    }

    /** {@return a new graph for the current device, without nodes} */
    public static Graph create() {
        return create(Constants.DEVICE_CURRENT);
    }

    /**
     * {@return a new graph, without nodes}
     *
     * @param device where its nodes run
     * @throws GpuStreamException INVALID_DEVICE, NOT_SUPPORTED (the driver has no graphs)
     */
    public static Graph create(Device device) {
        return create(Device.numberOf(device));
    }

    private static Graph create(int device) {
        return owned(Call.forLong(out -> Native.CALLS.graphCreate(device, 0, out)));
    }

    private static Graph owned(long number) {
        return owned(number, new Holding(number));
    }

    /**
     * Wraps a graph of the driver, such as PyTorch's {@code raw_cuda_graph}, which stays the caller's and must live as
     * long as this object. The driver cannot be asked whether the number is a graph: a wrong one may end the process.
     *
     * @param nativeHandle a cudaGraph_t or CUgraph
     * @param device the device of its nodes
     * @return the graph
     * @throws GpuStreamException INVALID_HANDLE (no aligned address, or known to be no graph), INVALID_DEVICE,
     *     NOT_SUPPORTED
     */
    public static Graph fromNative(long nativeHandle, Device device) {
        int number = Device.numberOf(device);
        return owned(Call.forLong(out -> Native.CALLS.graphFromNative(number, nativeHandle, out)));
    }

    /**
     * Returns an object for a graph of the library that C or another language has made, with a reference of its own.
     *
     * @param number a {@code gs_graph_t}, as a number
     * @return the graph
     * @throws GpuStreamException INVALID_HANDLE (no live graph has that number), NOT_PERMITTED (a body, or being
     *     captured)
     */
    public static Graph fromHandle(long number) {
        Failure.check(Native.CALLS.graphRetain(number));
        return owned(number);
    }

    /**
     * {@return the driver's graph, a cudaGraph_t, for other libraries; not to be destroyed, valid until the graph ends}
     */
    public long nativeHandle() {
        return Call.forLong(out -> Native.CALLS.graphNative(handle.use(), out), this);
    }

    /**
     * {@return another object for the same graph, with a reference of its own}
     *
     * @throws GpuStreamException NOT_PERMITTED (a body, or being captured)
     */
    public Graph retain() {
        Failure.check(Native.CALLS.graphRetain(handle.use()), this);
        return owned(handle.number, holding);
    }

    /** {@return where its nodes run; it never changes} */
    public Device device() {
        Device known = device;
        if (known == null) {
            known = info().device();
            device = known;
        }
        return known;
    }

    /** {@return numbers of nodes and dependencies, and what the graph is} */
    public GraphInfo info() {
        GraphInfo info = GraphInfo.of(handle.use());
        Reference.reachabilityFence(this);
        return info;
    }

    /** {@return the nodes, in the order in which they were added or could have been} */
    public List<GraphNode> nodes() {
        long number = handle.use();
        long[] found = Call.list((out, room, count) -> Native.CALLS.graphNodes(number, out, room, count));
        Reference.reachabilityFence(this);
        return Arrays.stream(found).mapToObj(node -> new GraphNode(this, node)).toList();
    }

    /** {@return the dependencies} */
    public List<GraphEdge> edges() {
        long number = handle.use();
        long[] found = Call.list((out, room, count) -> Native.CALLS.graphEdges(number, out, room, count));
        Reference.reachabilityFence(this);
        List<GraphEdge> edges = new ArrayList<>();
        for (int i = 0; i < found.length; i += 2) {
            edges.add(new GraphEdge(new GraphNode(this, found[i]), new GraphNode(this, found[i + 1])));
        }
        return edges;
    }

    /** {@return the graph in the language of Graphviz, with child graphs and bodies as boxes} */
    public String dot() {
        return Call.text((write, text) -> Native.CALLS.graphWriteDot(handle.use(), write, text), this);
    }

    /**
     * Writes {@link #dot()} to a file, in UTF-8.
     *
     * @param file the file, which is replaced
     * @throws IOException if it cannot be written
     */
    public void writeDot(Path file) throws IOException {
        Files.writeString(Objects.requireNonNull(file, "file"), dot(), StandardCharsets.UTF_8);
    }

    /**
     * Keeps an object reachable until the graph, the executables made from it after this call, and their launches have
     * ended.
     *
     * @param what the object
     * @throws GpuStreamException NOT_SUPPORTED (the driver cannot)
     */
    public void keep(Object what) {
        Objects.requireNonNull(what, "what");
        handle.use();
        holding.prepare().add(what);
        Reference.reachabilityFence(this);
    }

    /**
     * Runs a function, once, when the graph, the executables made from it after this call, and their launches have
     * ended: the place to close memory that nodes use. It runs on the daemon thread "gpustream-callbacks"; what it
     * throws is logged. Until then it stays reachable, and does not run if the virtual machine ends first.
     *
     * @param release what to run
     * @throws GpuStreamException NOT_SUPPORTED (the driver cannot)
     */
    public void onRelease(Runnable release) {
        Objects.requireNonNull(release, "release");
        Holding.keep(root().handle.use(), release);
        Reference.reachabilityFence(this);
    }

    boolean isBody() {
        return parent != null;
    }

    private Graph root() {
        return parent != null ? parent.root() : this;
    }

    /**
     * {@return a copy, which refers to the same memory, functions, kernels and events}
     *
     * @throws GpuStreamException NOT_SUPPORTED (it has conditional nodes, or nodes that allocate or free memory),
     *     CAPTURING
     */
    public Graph copy() {
        return owned(Call.forLong(out -> Native.CALLS.graphClone(handle.use(), out), this));
    }

    /**
     * Makes the graph executable. The executable is a copy: what is added to the graph later is not part of it.
     *
     * @param flags how
     * @return the executable
     * @throws GpuStreamException INVALID_ARGUMENT (the driver refuses the graph; the text says why), NOT_PERMITTED (a
     *     body), CAPTURING (it is being captured)
     */
    public GraphExec instantiate(InstantiateFlag... flags) {
        return GraphExec.of(this, flags);
    }

    /** {@return the device, or that it is closed} */
    @Override
    public String toString() {
        try {
            return "Graph[" + device() + ", " + info().nodeCount() + " nodes]";
        } catch (IllegalStateException | GpuStreamException gone) {
            return "Graph[closed]";
        }
    }
}
