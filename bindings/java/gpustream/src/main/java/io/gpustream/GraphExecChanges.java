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
import java.util.Objects;

/** Changes of a {@link GraphExec}. Links name that class, as some versions of Javadoc do not find this one. */
abstract class GraphExecChanges extends HandleOwner {
    final Keeper keeper; // its lock is held during changes, so that what they bring in is kept by the right graph

    /** What the graph that an executable runs now keeps. What is replaced stays, as launches under way may use it. */
    static final class Keeper {
        Belongings now;

        Keeper(Belongings first) {
            now = first;
        }
    }

    GraphExecChanges(long number, Keeper keeper) {
        super(Handle.Kind.EXECUTABLE, number, Scratch.get());
        this.keeper = keeper;
    }

    private void change(GraphNode node, NodeParams now, Object... things) {
        long number = GraphNode.numberOf(node);
        int status;
        synchronized (keeper) {
            status = Native.CALLS.graphExecSetNode(handle.use(), number, now.write(Scratch.get()));
            if (status == 0) {
                for (Object thing : things) {
                    keeper.now.add(thing);
                }
            }
        }
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(node);
        Reference.reachabilityFence(things);
        Failure.check(status);
    }

    /**
     * Changes what a kernel node runs from the next launch on.
     *
     * @param node a kernel node of the graph that this was made from, which is open
     * @param kernel the kernel, of the same device
     * @param config blocks, threads and shared memory
     * @param arguments as for {@link Kernel#launch}
     * @throws GpuStreamException INVALID_ARGUMENT (another node, or beyond the device's limits), INVALID_HANDLE (its
     *     graph is gone), DEVICE_MISMATCH, NOT_SUPPORTED (the driver cannot exchange the kernel)
     * @throws IllegalArgumentException if an argument is of a class that no kernel can take
     * @throws IllegalStateException if executable, module or memory is closed
     */
    public void setKernel(GraphNode node, Kernel kernel, LaunchConfig config, Object... arguments) {
        long number = Objects.requireNonNull(kernel, "kernel").use();
        Objects.requireNonNull(config, "config");
        Object[] values = Objects.requireNonNull(arguments, "arguments").clone();
        KernelArguments block = KernelArguments.of(values);
        change(node, NodeParams.kernel(number, config, block), kernel, block, values);
    }

    /**
     * Changes what a copy node copies from the next launch on. Both stay open as long as launches may run.
     *
     * @param node a copy node of the graph that this was made from, which is open
     * @param target where to
     * @param source where from; of the same size, not overlapping
     * @throws GpuStreamException INVALID_ARGUMENT (another node, or the kind of memory changes where the driver does
     *     not allow it), INVALID_HANDLE (its graph is gone)
     * @throws IllegalArgumentException if the sizes differ
     * @throws IllegalStateException if executable or memory is closed
     */
    public void setCopy(GraphNode node, Memory target, Memory source) {
        setCopy(node, Side.of(target, "target"), Side.of(source, "source"));
    }

    /**
     * Changes what a copy node copies; otherwise as {@link GraphExec#setCopy(GraphNode, Memory, Memory)}. The buffer is
     * kept reachable.
     *
     * @param node a copy node of the graph that this was made from, which is open
     * @param target where to
     * @param source where from; direct, with as many bytes remaining as the target has
     */
    public void setCopy(GraphNode node, Memory target, ByteBuffer source) {
        setCopy(node, Side.of(target, "target"), Side.of(source, "source"));
    }

    /**
     * Changes what a copy node copies; otherwise as {@link GraphExec#setCopy(GraphNode, Memory, Memory)}. The buffer is
     * kept reachable.
     *
     * @param node a copy node of the graph that this was made from, which is open
     * @param target where to; direct, not read-only, with as many bytes remaining as the source has
     * @param source where from
     * @throws IllegalArgumentException if the buffer is not direct or read-only, or the sizes differ
     */
    public void setCopy(GraphNode node, ByteBuffer target, Memory source) {
        setCopy(node, Side.toWrite(target, "target"), Side.of(source, "source"));
    }

    /**
     * Changes what a copy node copies, by raw addresses; otherwise as
     * {@link GraphExec#setCopy(GraphNode, Memory, Memory)}.
     *
     * @param node a copy node of the graph that this was made from, which is open
     * @param target address of the first byte to write
     * @param source address of the first byte to read
     * @param bytes size, at least 1
     */
    public void setCopy(GraphNode node, long target, long source, long bytes) {
        change(node, NodeParams.copy(target, source, bytes));
    }

    private void setCopy(GraphNode node, Side target, Side source) {
        change(node, NodeParams.copy(target, source), target.what(), source.what());
    }

    /**
     * Changes what a fill node fills from the next launch on. The memory stays open as long as launches may run.
     *
     * @param node a fill node of the graph that this was made from, which is open
     * @param target device memory or {@link HostMemory}
     * @param value the byte, 0 to 255
     * @throws GpuStreamException INVALID_ARGUMENT (another node, or value out of range), INVALID_HANDLE (its graph is
     *     gone)
     * @throws IllegalStateException if executable or memory is closed
     */
    public void setFill(GraphNode node, Memory target, int value) {
        long address = Objects.requireNonNull(target, "target").address();
        change(node, NodeParams.fill(address, value, target.byteSize()), target);
    }

    /**
     * Changes which function a host node runs from the next launch on, by the rules of {@link Graph#addHost}.
     *
     * @param node a host node of the graph that this was made from, which is open
     * @param function what to run
     * @throws GpuStreamException INVALID_ARGUMENT (another node), INVALID_HANDLE (its graph is gone)
     */
    public void setHost(GraphNode node, Runnable function) {
        Objects.requireNonNull(function, "function");
        handle.use();
        synchronized (keeper) {
            long number = keeper.now.register(new HostFunctions.Held(function, false));
            try {
                setNativeHost(node, Native.BRIDGE.function(Callbacks.ON_RUN), Native.BRIDGE.argument(number));
            } catch (RuntimeException refused) {
                keeper.now.forget(number);
                throw refused;
            }
        }
    }

    /**
     * Changes which native code a host node calls from the next launch on, by the rules of {@link Graph#addNativeHost}.
     *
     * @param node a host node of the graph that this was made from, which is open
     * @param function address of a {@code void function(void *argument)}
     * @param argument passed to it
     * @throws GpuStreamException INVALID_ARGUMENT (another node, or function is 0), INVALID_HANDLE (its graph is gone)
     */
    public void setNativeHost(GraphNode node, long function, long argument) {
        change(node, NodeParams.host(function, argument));
    }

    /**
     * Changes which event a record node records from the next launch on. The executable retains it.
     *
     * @param node a record node of the graph that this was made from, which is open
     * @param event the event, of this device or of none yet
     * @throws GpuStreamException INVALID_ARGUMENT (another node), INVALID_HANDLE (its graph is gone), DEVICE_MISMATCH
     */
    public void setRecord(GraphNode node, Event event) {
        long number = numberOf(event, "event");
        change(node, NodeParams.event(NodeKind.RECORD, number));
        Reference.reachabilityFence(event);
    }

    /**
     * Changes which event a wait node waits for from the next launch on. The executable retains it.
     *
     * @param node a wait node of the graph that this was made from, which is open
     * @param event the event, of any device of the backend
     * @throws GpuStreamException INVALID_ARGUMENT (another node), INVALID_HANDLE (its graph is gone), DEVICE_MISMATCH
     */
    public void setWait(GraphNode node, Event event) {
        long number = numberOf(event, "event");
        change(node, NodeParams.event(NodeKind.WAIT, number));
        Reference.reachabilityFence(event);
    }

    /**
     * Switches a kernel, copy or fill node on or off from the next launch on. One that is off does nothing, and what
     * comes after it still waits for what comes before it.
     *
     * @param node a node of the graph that this was made from, which is open
     * @param enabled whether it is on
     * @throws GpuStreamException INVALID_ARGUMENT (another node, or of another kind), INVALID_HANDLE (its graph is
     *     gone)
     */
    public void enable(GraphNode node, boolean enabled) {
        long number = GraphNode.numberOf(node);
        Failure.check(Native.CALLS.graphExecEnableNode(handle.use(), number, enabled ? 1 : 0), this, node);
    }
}
