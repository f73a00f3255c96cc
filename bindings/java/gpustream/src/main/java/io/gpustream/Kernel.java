// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.util.Objects;

/** One kernel of a {@link KernelModule}, closed with it. Any thread may call any method. */
public final class Kernel {
    private final LoadedModule module;
    private final String name;
    private final long number;

    Kernel(LoadedModule module, String name, long number) {
        this.module = module;
        this.name = name;
        this.number = number;
    }

    /**
     * Submits the kernel to a stream. Does not block. Memory among the arguments must stay open until it has run.
     *
     * @param config blocks, threads and shared memory
     * @param stream a stream of the module's device
     * @param arguments one per parameter: {@link Memory} (its address), Integer, Long, Float, Double, Short or Byte.
     *     Number and sizes must match the kernel's parameters, which is not checked
     * @throws GpuStreamException INVALID_ARGUMENT (beyond the device's limits), DEVICE_MISMATCH (the stream is of
     *     another device)
     * @throws IllegalArgumentException if an argument is of another class
     * @throws IllegalStateException if module, stream or memory is closed
     */
    public void launch(LaunchConfig config, Stream stream, Object... arguments) {
        launch(0, config, stream, arguments);
    }

    /**
     * Submits the kernel to a stream. The launch also records the event, which may be complete before the kernel is. Does
     * not block.
     *
     * @param event without timing, of the stream's device or unbound
     * @param config as for {@link #launch}
     * @param stream as for {@link #launch}; not one that is being captured
     * @param arguments as for {@link #launch}
     * @throws GpuStreamException also NOT_SUPPORTED (the device has no such events), CAPTURING (the stream is being
     *     captured)
     */
    public void launchRecording(Event event, LaunchConfig config, Stream stream, Object... arguments) {
        launch(HandleOwner.numberOf(event, "event"), config, stream, arguments);
        Reference.reachabilityFence(event);
    }

    private void launch(long event, LaunchConfig config, Stream stream, Object[] arguments) {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(stream, "stream");
        Objects.requireNonNull(arguments, "arguments");
        module.leak.requireUsable();
        KernelArguments block = KernelArguments.of(arguments);
        if (!block.isEmpty() && module.device.backend() == Backend.HOST) {
            Runnable submit = () -> stream.submitKeeping(block, onStream -> submit(event, config, onStream, block));
            Memory.use(stream.handle.use(), submit, arguments);
        } else {
            long number = stream.handle.use();
            Memory.use(number, () -> Failure.check(submit(event, config, number, block)), arguments);
        }
        Reference.reachabilityFence(stream);
        Reference.reachabilityFence(module);
    }

    private int submit(long event, LaunchConfig config, long stream, KernelArguments block) {
        Scratch scratch = Scratch.get();
        long address = config.write(scratch);
        scratch.putLong(56, event);
        int status = Native.CALLS.kernelLaunch(number, address, block.address(), stream);
        Reference.reachabilityFence(block);
        return status;
    }

    /** The number for a call. The caller keeps this object reachable until the call has returned. */
    long use() {
        module.leak.requireUsable();
        return number;
    }

    /** {@return the name it was found by} */
    public String name() {
        return name;
    }

    /** {@return the name} */
    @Override
    public String toString() {
        return "Kernel[" + name + "]";
    }
}
