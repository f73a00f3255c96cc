// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.jni;

import io.gpustream.internal.WorkCalls;

/** Memory, copies and kernels. Calls the methods that SWIG generated. */
final class JniWork implements WorkCalls {
    @Override
    public int mallocAsync(long bytes, long stream, long outPointer) {
        return GpustreamJni.gs_malloc_async(bytes, stream, outPointer);
    }

    @Override
    public int freeAsync(long pointer, long stream) {
        return GpustreamJni.gs_free_async(pointer, stream);
    }

    @Override
    public int mallocHost(long bytes, long outPointer) {
        return GpustreamJni.gs_malloc_host(bytes, outPointer);
    }

    @Override
    public int freeHost(long pointer) {
        return GpustreamJni.gs_free_host(pointer);
    }

    @Override
    public int memcpyAsync(long dst, long src, long bytes, long stream) {
        return GpustreamJni.gs_memcpy_async(dst, src, bytes, stream);
    }

    @Override
    public int memsetAsync(long dst, int value, long bytes, long stream) {
        return GpustreamJni.gs_memset_async(dst, value, bytes, stream);
    }

    @Override
    public int moduleLoad(int device, long image, long bytes, long outModule) {
        return GpustreamJni.gs_module_load(device, image, bytes, outModule);
    }

    @Override
    public int moduleDestroy(long module) {
        return GpustreamJni.gs_module_destroy(module);
    }

    @Override
    public int moduleGetKernel(long module, long name, long outKernel) {
        return GpustreamJni.gs_module_get_kernel(module, name, outKernel);
    }

    @Override
    public int kernelLaunch(long kernel, long config, long arguments, long stream) {
        return GpustreamJni.gs_kernel_launch(kernel, config, arguments, stream);
    }
}
