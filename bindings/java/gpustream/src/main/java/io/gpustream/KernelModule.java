// SPDX-License-Identifier: Apache-2.0
package io.gpustream;

import io.gpustream.internal.Native;
import io.gpustream.internal.Scratch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Kernels loaded onto a device: PTX text, a cubin or a fatbin for CUDA, a shared object for the host backend. Unloaded
 * by {@link #close()} only, as only the program knows whether a launch is pending. If it is never closed, it stays
 * loaded and a warning is logged. Any thread may call any method.
 */
public final class KernelModule implements AutoCloseable {
    private final LoadedModule module;

    private KernelModule(LoadedModule module) {
        this.module = module;
    }

    /**
     * Loads a file. Blocks while it is read, compiled and loaded.
     *
     * @param device where to
     * @param file the image
     * @return the module
     * @throws GpuStreamException INVALID_ARGUMENT (the file cannot be opened, or is malformed: the text has the
     *     compiler's complaint), INVALID_DEVICE, NOT_SUPPORTED (it fits no such device)
     */
    public static KernelModule load(Device device, Path file) {
        Device.numberOf(device);
        byte[] path = Objects.requireNonNull(file, "file").toString().getBytes(StandardCharsets.UTF_8);
        return load(device, Call.terminated(path), 0);
    }

    /**
     * Loads an image from memory. Blocks while it is compiled and loaded. The image is not needed afterwards.
     *
     * @param device where to
     * @param image the image, not empty
     * @return the module
     * @throws GpuStreamException as with a file
     */
    public static KernelModule load(Device device, byte[] image) {
        Device.numberOf(device);
        if (Objects.requireNonNull(image, "image").length == 0) {
            throw new IllegalArgumentException("the image is empty");
        }
        // PTX is text, which the driver expects terminated; the other formats tolerate one more byte.
        return load(device, Call.terminated(image), image.length);
    }

    private static KernelModule load(Device device, ByteBuffer image, long bytes) {
        Scratch scratch = Scratch.get();
        Failure.check(Native.CALLS.moduleLoad(device.number, Native.BRIDGE.addressOf(image), bytes, scratch.address), image);
        return new KernelModule(new LoadedModule(device, scratch.getLong()));
    }

    /**
     * Finds a kernel. Does not block.
     *
     * @param name its symbol's name as compiled (mangled for C++)
     * @return the kernel, closed with the module
     * @throws GpuStreamException INVALID_ARGUMENT (the module has no such kernel)
     * @throws IllegalArgumentException if the name contains a NUL
     * @throws IllegalStateException if the module is closed
     */
    public Kernel kernel(String name) {
        ByteBuffer text = Call.terminated(name, "name");
        Scratch scratch = Scratch.get();
        module.leak.requireUsable();
        Failure.check(Native.CALLS.moduleGetKernel(module.number, Native.BRIDGE.addressOf(text), scratch.address), text);
        return new Kernel(module, name, scratch.getLong());
    }

    /** {@return the device it was loaded onto} */
    public Device device() {
        return module.device;
    }

    /**
     * Unloads the module and closes its kernels. Later calls do nothing. On CUDA no launch may be pending. Blocks while
     * the driver unloads, which may wait for device work.
     *
     * @throws GpuStreamException if the library refuses; the module is still open then
     */
    @Override
    public void close() {
        module.leak.free(() -> Failure.check(Native.CALLS.moduleDestroy(module.number)));
    }

    /** {@return the device, and whether it is closed} */
    @Override
    public String toString() {
        return "KernelModule[" + module.device + (module.leak.isUsable() ? "]" : ", closed]");
    }
}
