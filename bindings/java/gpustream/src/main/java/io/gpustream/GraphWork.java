// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Belongings;
import io.gpustream.internal.Callbacks;
import io.gpustream.internal.HostFunctions;
import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import io.gpustream.internal.lifetime.Handle;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * The nodes that are added to a {@link Graph}. Links name that class, as some versions of Javadoc do not find this one.
 */
abstract class GraphWork extends HandleOwner implements GraphSegments {
    final Holding holding; // a body has that of the graph it is in

    GraphWork(long number, boolean owned, Holding holding) {
        super(Handle.Kind.GRAPH, number, owned);
        this.holding = holding;
    }

    abstract Graph self();

    final GraphNode add(GraphNode[] after, NodeParams what) {
        Scratch scratch = Scratch.get();
        NodeNumbers before = NodeNumbers.of(scratch, after, "after");
        Failure.check(
                Native.CALLS.graphAddNode(handle.use(), before.address, before.count, what.write(scratch), scratch.at(NodeNumbers.OUT)),
                before, this);
        return new GraphNode(self(), scratch.getLong(NodeNumbers.OUT));
    }

    /** The same, and keeps things reachable as long as the node may run. */
    final GraphNode addKeeping(GraphNode[] after, NodeParams what, Object... things) {
        handle.use();
        Belongings belongings = holding.prepare();
        GraphNode node = add(after, what);
        for (Object thing : things) {
            belongings.add(thing);
        }
        return node;
    }

    /**
     * Adds a node that does nothing: others are ordered by it.
     *
     * @param after nodes of this graph that come before it, each once
     * @return the node
     */
    public GraphNode addEmpty(GraphNode... after) {
        return add(after, NodeParams.empty());
    }

    /**
     * Adds a node that runs a function at each launch, when the nodes before it are done. The work behind the node
     * waits until the function has returned. It runs on a daemon thread "gpustream-host-functions", one for each
     * function that runs at the time; what it throws is logged. A wait in it for work of any stream, directly or through
     * locks, may never end. Once the virtual machine ends, functions no longer run and the work behind them goes on.
     *
     * <p>A function that refers to this graph's object keeps that reachable: the graph must be closed then.
     *
     * @param function what to run
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException NOT_SUPPORTED (this graph is a body)
     */
    public GraphNode addHost(Runnable function, GraphNode... after) {
        Objects.requireNonNull(function, "function");
        Objects.requireNonNull(after, "after");
        handle.use();
        Belongings belongings = holding.prepare();
        long number = belongings.register(new HostFunctions.Held(function, false));
        try {
            return addNativeHost(Native.BRIDGE.function(Callbacks.ON_RUN), Native.BRIDGE.argument(number), after);
        } catch (RuntimeException refused) {
            belongings.forget(number);
            throw refused;
        }
    }

    /**
     * Adds a node that calls native code at each launch, on a thread of the backend. The work behind the node waits for
     * it. It must not call Java, nor wait for work of any stream.
     *
     * @param function address of a {@code void function(void *argument)}
     * @param argument passed to it; what it points to lives as long as the graph, its executables and their launches
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException INVALID_ARGUMENT (function is 0), NOT_SUPPORTED (this graph is a body)
     */
    public GraphNode addNativeHost(long function, long argument, GraphNode... after) {
        return add(after, NodeParams.host(function, argument));
    }

    /**
     * Adds a node that runs a kernel. Its module stays loaded as long as the graph, its executables and their launches.
     *
     * @param kernel the kernel, of this graph's device
     * @param config blocks, threads and shared memory
     * @param arguments as for {@link Kernel#launch}
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException INVALID_ARGUMENT (beyond the device's limits), DEVICE_MISMATCH
     * @throws IllegalArgumentException if an argument is of a class that no kernel can take
     * @throws IllegalStateException if graph, module or memory is closed
     */
    public GraphNode addKernel(Kernel kernel, LaunchConfig config, List<?> arguments, GraphNode... after) {
        long number = Objects.requireNonNull(kernel, "kernel").use();
        Objects.requireNonNull(config, "config");
        Object[] values = Objects.requireNonNull(arguments, "arguments").toArray();
        KernelArguments block = KernelArguments.of(values);
        return addKeeping(after, NodeParams.kernel(number, config, block), kernel, block, values);
    }

    /**
     * Adds a node that copies what the source holds at the launch. Both stay open as long as launches may run.
     *
     * @param target where to
     * @param source where from; of the same size, not overlapping
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws IllegalArgumentException if the sizes differ
     * @throws IllegalStateException if graph or memory is closed
     */
    public GraphNode addCopy(Memory target, Memory source, GraphNode... after) {
        return copyKeeping(Side.of(target, "target"), Side.of(source, "source"), after);
    }

    /**
     * Adds a node that copies what the buffer holds at the launch. The buffer is kept reachable. On CUDA such a copy is
     * not possible in a body.
     *
     * @param target where to
     * @param source where from; direct, with as many bytes remaining as the target has
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws IllegalArgumentException if the buffer is not direct, or the sizes differ
     * @throws IllegalStateException if graph, memory or, from Java 22 on, the buffer's arena is closed
     */
    public GraphNode addCopy(Memory target, ByteBuffer source, GraphNode... after) {
        return copyKeeping(Side.of(target, "target"), Side.of(source, "source"), after);
    }

    /**
     * Adds a node that copies into the buffer's remaining bytes; otherwise as {@link Graph#addCopy(Memory, ByteBuffer,
     * GraphNode...)}.
     *
     * @param target where to; direct, not read-only, with as many bytes remaining as the source has
     * @param source where from
     * @param after nodes of this graph that come before it, each once
     * @return the node
     */
    public GraphNode addCopy(ByteBuffer target, Memory source, GraphNode... after) {
        return copyKeeping(Side.toWrite(target, "target"), Side.of(source, "source"), after);
    }

    final GraphNode copyKeeping(Side target, Side source, GraphNode[] after) {
        return addKeeping(after, NodeParams.copy(target, source), target.what(), source.what());
    }

    /**
     * Adds a node that copies between raw addresses, in any direction. Both ranges stay valid as long as launches may
     * run.
     *
     * @param target address of the first byte to write
     * @param source address of the first byte to read
     * @param bytes size, at least 1
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException INVALID_ARGUMENT (an address is 0, or bytes is below 1)
     */
    public GraphNode addCopy(long target, long source, long bytes, GraphNode... after) {
        return add(after, NodeParams.copy(target, source, bytes));
    }

    /**
     * Adds a node that fills memory with a byte. The memory stays open as long as launches may run.
     *
     * @param target device memory or {@link HostMemory}
     * @param value the byte, 0 to 255
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException INVALID_ARGUMENT (value out of range)
     * @throws IllegalStateException if graph or memory is closed
     */
    public GraphNode addFill(Memory target, int value, GraphNode... after) {
        long address = Objects.requireNonNull(target, "target").address();
        return addKeeping(after, NodeParams.fill(address, value, target.byteSize()), target);
    }

    /**
     * Adds a node that records an event at each launch; the graph retains it. An event that was never recorded is bound
     * to the graph's device. Calls on the event are no longer elided.
     *
     * @param event the event, of this graph's device or of none yet
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException DEVICE_MISMATCH, NOT_SUPPORTED (this graph is a body)
     */
    public GraphNode addRecord(Event event, GraphNode... after) {
        return add(after, NodeKind.RECORD, event);
    }

    /**
     * Adds a node that waits for the record which an event has when the launch is submitted. A launch before the first
     * record does not wait. The graph retains the event, whose calls are no longer elided.
     *
     * @param event the event, of any device of the backend
     * @param after nodes of this graph that come before it, each once
     * @return the node
     * @throws GpuStreamException DEVICE_MISMATCH (another backend), NOT_SUPPORTED (this graph is a body)
     */
    public GraphNode addWait(Event event, GraphNode... after) {
        return add(after, NodeKind.WAIT, event);
    }

    private GraphNode add(GraphNode[] after, NodeKind kind, Event event) {
        GraphNode node = add(after, NodeParams.event(kind, numberOf(event, "event")));
        Reference.reachabilityFence(event);
        return node;
    }
}
