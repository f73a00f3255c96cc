// SPDX-License-Identifier: Apache-2.0
package io.gpustream.internal.ffm;

import io.gpustream.internal.WorkCalls;
import java.lang.invoke.MethodHandle;

/** Memory, copies and kernels. One static handle per function,
        which the compiler of the virtual machine sees through. */
final class FfmWork implements WorkCalls {
    private static final MethodHandle MALLOC_ASYNC =
            Symbols.plain("gs_malloc_async", int.class, long.class, long.class, long.class);
    private static final MethodHandle FREE_ASYNC = Symbols.plain("gs_free_async", int.class, long.class, long.class);
    private static final MethodHandle MALLOC_HOST = Symbols.plain("gs_malloc_host", int.class, long.class, long.class);
    private static final MethodHandle FREE_HOST = Symbols.plain("gs_free_host", int.class, long.class);
    private static final MethodHandle MEMCPY_ASYNC =
            Symbols.plain("gs_memcpy_async", int.class, long.class, long.class, long.class, long.class);
    private static final MethodHandle MEMSET_ASYNC =
            Symbols.plain("gs_memset_async", int.class, long.class, int.class, long.class, long.class);
    private static final MethodHandle MODULE_LOAD =
            Symbols.plain("gs_module_load", int.class, int.class, long.class, long.class, long.class);
    private static final MethodHandle MODULE_DESTROY = Symbols.plain("gs_module_destroy", int.class, long.class);
    private static final MethodHandle MODULE_GET_KERNEL =
            Symbols.plain("gs_module_get_kernel", int.class, long.class, long.class, long.class);
    private static final MethodHandle KERNEL_LAUNCH =
            Symbols.plain("gs_kernel_launch", int.class, long.class, long.class, long.class, long.class);

    @Override
    public int mallocAsync(long bytes, long stream, long outPointer) {
        try {
            return (int) MALLOC_ASYNC.invokeExact(bytes, stream, outPointer);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int freeAsync(long pointer, long stream) {
        try {
            return (int) FREE_ASYNC.invokeExact(pointer, stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int mallocHost(long bytes, long outPointer) {
        try {
            return (int) MALLOC_HOST.invokeExact(bytes, outPointer);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int freeHost(long pointer) {
        try {
            return (int) FREE_HOST.invokeExact(pointer);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int memcpyAsync(long dst, long src, long bytes, long stream) {
        try {
            return (int) MEMCPY_ASYNC.invokeExact(dst, src, bytes, stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int memsetAsync(long dst, int value, long bytes, long stream) {
        try {
            return (int) MEMSET_ASYNC.invokeExact(dst, value, bytes, stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int moduleLoad(int device, long image, long bytes, long outModule) {
        try {
            return (int) MODULE_LOAD.invokeExact(device, image, bytes, outModule);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int moduleDestroy(long module) {
        try {
            return (int) MODULE_DESTROY.invokeExact(module);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int moduleGetKernel(long module, long name, long outKernel) {
        try {
            return (int) MODULE_GET_KERNEL.invokeExact(module, name, outKernel);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }

    @Override
    public int kernelLaunch(long kernel, long config, long arguments, long stream) {
        try {
            return (int) KERNEL_LAUNCH.invokeExact(kernel, config, arguments, stream);
        } catch (Throwable error) {
            throw Symbols.broken(error);
        }
    }
}
