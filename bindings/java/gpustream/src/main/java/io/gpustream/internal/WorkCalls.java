// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal;

/**
 * Memory, copies and kernels.
 *
 * <p>One method per function of gpustream.h, named after it, with its parameters in its order: handles, addresses and
 * pointers to functions are longs, unsigned numbers keep their bits. What they do is said in the header.
 */
public interface WorkCalls {
    int mallocAsync(long bytes, long stream, long outPointer);

    int freeAsync(long pointer, long stream);

    int mallocHost(long bytes, long outPointer);

    int freeHost(long pointer);

    int memcpyAsync(long dst, long src, long bytes, long stream);

    int memsetAsync(long dst, int value, long bytes, long stream);

    int moduleLoad(int device, long image, long bytes, long outModule);

    int moduleDestroy(long module);

    int moduleGetKernel(long module, long name, long outKernel);

    int kernelLaunch(long kernel, long config, long arguments, long stream);
}
