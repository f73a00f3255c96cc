// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Kernels loaded onto a device: PTX text, a cubin or a fatbin for CUDA, a shared object for the host backend. Unloaded
 * by {@link #close()} only, since a launch may be pending that nobody but the program knows of.
 */
public final class KernelModule implements AutoCloseable {
    private final Device device;
    private final long number;
    private final Leak leak;

    private KernelModule(Device device, long number) {
        this.device = device;
        this.number = number;
        leak = new Leak(this, "the module", " of kernels");
    }

    /**
     * Loads a file. Blocks while it is read, compiled and loaded.
     *
     * @throws GpuStreamException INVALID_ARGUMENT (the file cannot be opened, or is malformed: the text has the
     *     compiler's complaint), INVALID_DEVICE, NOT_SUPPORTED (it fits no such device)
     */
    public static KernelModule load(Device device, Path file) {
        Device.numberOf(device);
        byte[] path = Objects.requireNonNull(file, "file").toString().getBytes(StandardCharsets.UTF_8);
        return load(device, terminated(path), 0);
    }

    /**
     * Loads an image from memory. Blocks while it is compiled and loaded. The image is not needed afterwards.
     *
     * @throws GpuStreamException as with a file
     */
    public static KernelModule load(Device device, byte[] image) {
        Device.numberOf(device);
        if (Objects.requireNonNull(image, "image").length == 0) {
            throw new IllegalArgumentException("the image is empty");
        }
        // PTX is text, which the driver wants terminated; a byte more does no harm to the other formats.
        return load(device, terminated(image), image.length);
    }

    private static KernelModule load(Device device, ByteBuffer image, long bytes) {
        Scratch scratch = Scratch.get();
        int status = Native.WORK.moduleLoad(device.number, Native.BRIDGE.addressOf(image), bytes, scratch.address);
        Reference.reachabilityFence(image);
        Failure.check(status);
        return new KernelModule(device, scratch.getLong());
    }

    private static ByteBuffer terminated(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length + 1).put(0, bytes);
    }

    /**
     * A kernel by its symbol's name as compiled (mangled for C++).
     *
     * @throws GpuStreamException INVALID_ARGUMENT (the module has no such kernel)
     * @throws IllegalStateException if the module is closed
     */
    public Kernel kernel(String name) {
        ByteBuffer text = terminated(Objects.requireNonNull(name, "name").getBytes(StandardCharsets.UTF_8));
        Scratch scratch = Scratch.get();
        requireOpen();
        int status = Native.WORK.moduleGetKernel(number, Native.BRIDGE.addressOf(text), scratch.address);
        Reference.reachabilityFence(text);
        Failure.check(status);
        return new Kernel(this, name, scratch.getLong());
    }

    /** The device it was loaded onto. */
    public Device device() {
        return device;
    }

    void requireOpen() {
        leak.requireUsable();
    }

    /**
     * Unloads; its kernels are closed with it. Again, it does nothing. On CUDA no launch may be pending. Blocks while
     * the driver unloads.
     */
    @Override
    public void close() {
        leak.free(() -> Native.WORK.moduleDestroy(number));
    }

    /** The device, and whether it is closed. */
    @Override
    public String toString() {
        return "KernelModule[" + device + (leak.isUsable() ? "]" : ", closed]");
    }
}
