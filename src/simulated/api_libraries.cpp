// SPDX-License-Identifier: Apache-2.0
// Libraries, whose kernels belong to no context, and what is asked of kernels. A CUkernel is the CUfunction that it gives.
#include <algorithm>

#include "simulated/driver_call.hpp"
#include "simulated/kernel_image.hpp"
#include "simulated/kernel_launch.hpp"

using namespace gs::simulated;

namespace {

constexpr int kOptInShared = 227 * 1024;
constexpr size_t kShared = 228 * 1024; // of a multiprocessor

template <typename Handle>
CUresult kernel_of(Handle handle, Kernel **out) {
    return find_function(reinterpret_cast<CUfunction>(handle), out);
}

CUresult find_library(CUlibrary handle, Module **out) {
    const CUresult result = find_module(reinterpret_cast<CUmodule>(handle), out);
    return result == CUDA_SUCCESS && !(*out)->is_library ? CUDA_ERROR_INVALID_HANDLE : result;
}

int attribute_of(const Kernel &kernel, CUfunction_attribute which) {
    switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: return kernel.max_dynamic_shared;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: return 1024;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: return 16;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: return world().capability[0] * 10 + world().capability[1];
    default: return 0;
    }
}

CUresult set_attribute(Kernel &kernel, CUfunction_attribute which, int value) {
    if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > kOptInShared)
        return CUDA_ERROR_INVALID_VALUE;
    kernel.max_dynamic_shared = value;
    return CUDA_SUCCESS;
}

// Each parameter begins at a multiple of its size, up to 8.
template <typename Handle>
CUresult parameter_info(Fn fn, Handle handle, size_t index, size_t *out_offset, size_t *out_bytes) {
    return call(fn, [&](Lock &) {
        Kernel *kernel = nullptr;
        if (const CUresult result = kernel_of(handle, &kernel); result != CUDA_SUCCESS) return result;
        if (!out_offset || index >= kernel->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
        size_t offset = 0;
        for (size_t i = 0; i <= index; ++i) {
            const size_t bytes = kernel->parameters[i], step = bytes % 8 == 0   ? 8
                                                               : bytes % 4 == 0 ? 4
                                                               : bytes % 2 == 0 ? 2
                                                                                : 1;
            offset = (offset + step - 1) / step * step;
            *out_offset = offset;
            if (out_bytes) *out_bytes = bytes;
            offset += bytes;
        }
        return CUDA_SUCCESS;
    });
}

// Blocks that fit in a multiprocessor, by its threads, its shared memory and its 32 places.
CUresult fitting_blocks(CUfunction handle, int threads, size_t shared, int *out) {
    Kernel *kernel = nullptr;
    if (const CUresult result = find_function(handle, &kernel); result != CUDA_SUCCESS) return result;
    if (!out || threads < 1) return CUDA_ERROR_INVALID_VALUE;
    const size_t by_memory = shared == 0 ? 32 : kShared / (shared + 1024);
    *out = threads > 1024
               ? 0
               : static_cast<int>(std::min<size_t>({32u, 2048u / static_cast<unsigned>(threads), by_memory}));
    return CUDA_SUCCESS;
}

} // namespace

CUresult api_OccupancyMaxActiveBlocks(int *out, CUfunction kernel, int threads, size_t shared) {
    return call(
        Fn::OccupancyMaxActiveBlocks, [&](Lock &) { return fitting_blocks(kernel, threads, shared, out); }, out);
}

CUresult api_OccupancyMaxActiveBlocksFlags(int *out, CUfunction kernel, int threads, size_t shared, unsigned) {
    return call(
        Fn::OccupancyMaxActiveBlocksFlags, [&](Lock &) { return fitting_blocks(kernel, threads, shared, out); }, out);
}

CUresult api_OccupancyMaxBlockSize(int *out_grid, int *out_block, CUfunction kernel, CUoccupancyB2DSize shared_of,
                                   size_t shared, int limit) {
    return call(
        Fn::OccupancyMaxBlockSize,
        [&](Lock &) {
            if (!out_grid || !out_block) return CUDA_ERROR_INVALID_VALUE;
            *out_block = limit > 0 ? std::min(limit, 1024) : 1024;
            int blocks = 0;
            const size_t needed = shared_of ? shared_of(*out_block) : shared;
            const CUresult result = fitting_blocks(kernel, *out_block, needed, &blocks);
            *out_grid = blocks * world().multiprocessors;
            return result;
        },
        out_grid, out_block);
}

CUresult api_OccupancyDynamicShared(size_t *out, CUfunction handle, int blocks, int threads) {
    return call(
        Fn::OccupancyDynamicShared,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            if (const CUresult result = find_function(handle, &kernel); result != CUDA_SUCCESS) return result;
            if (!out || blocks < 1 || threads < 1) return CUDA_ERROR_INVALID_VALUE;
            *out = std::min<size_t>(static_cast<size_t>(kernel->max_dynamic_shared),
                                    kShared / static_cast<size_t>(blocks) - 1024);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_LibraryLoadData(CUlibrary *out, const void *image, CUjit_option *options, void **values, unsigned count,
                             CUlibraryOption *, void **, unsigned) {
    return call(
        Fn::LibraryLoadData,
        [&](Lock &) {
            Context *context = thread().current() ? thread().current() : world().primary[0];
            Module *module = nullptr;
            const CUresult result = load_image(*context, image, error_log(count, options, values), &module);
            if (result != CUDA_SUCCESS) return result;
            module->is_library = true;
            *out = reinterpret_cast<CUlibrary>(module);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_LibraryUnload(CUlibrary handle) {
    return call(Fn::LibraryUnload, [&](Lock &) {
        Module *module = nullptr;
        const CUresult result = find_library(handle, &module);
        if (result == CUDA_SUCCESS) free_module(*module);
        return result;
    });
}

CUresult api_LibraryGetKernel(CUkernel *out, CUlibrary handle, const char *name) {
    return call(
        Fn::LibraryGetKernel,
        [&](Lock &) {
            Module *module = nullptr;
            if (const CUresult result = find_library(handle, &module); result != CUDA_SUCCESS) return result;
            const auto found = module->kernels.find(name);
            if (found == module->kernels.end()) return CUDA_ERROR_NOT_FOUND;
            *out = reinterpret_cast<CUkernel>(found->second.get());
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_LibraryGetModule(CUmodule *out, CUlibrary handle) {
    return call(
        Fn::LibraryGetModule,
        [&](Lock &) {
            Module *module = nullptr;
            const CUresult result = find_library(handle, &module);
            *out = reinterpret_cast<CUmodule>(module);
            return result;
        },
        out);
}

CUresult api_KernelGetFunction(CUfunction *out, CUkernel handle) {
    return call(
        Fn::KernelGetFunction,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            const CUresult result = kernel_of(handle, &kernel);
            *out = reinterpret_cast<CUfunction>(kernel);
            return result;
        },
        out);
}

CUresult api_KernelGetLibrary(CUlibrary *out, CUkernel handle) {
    return call(
        Fn::KernelGetLibrary,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            const CUresult result = kernel_of(handle, &kernel);
            if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUlibrary>(kernel->module);
            return result;
        },
        out);
}

CUresult api_KernelGetName(const char **out, CUkernel handle) {
    return call(
        Fn::KernelGetName,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            const CUresult result = kernel_of(handle, &kernel);
            if (result == CUDA_SUCCESS) *out = kernel->name.c_str();
            return result;
        },
        out);
}

CUresult api_FuncGetName(const char **out, CUfunction handle) {
    return call(
        Fn::FuncGetName,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            const CUresult result = find_function(handle, &kernel);
            if (result == CUDA_SUCCESS) *out = kernel->name.c_str();
            return result;
        },
        out);
}

CUresult api_KernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes) {
    return parameter_info(Fn::KernelGetParamInfo, kernel, index, offset, bytes);
}

CUresult api_FuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
    return parameter_info(Fn::FuncGetParamInfo, function, index, offset, bytes);
}

CUresult api_KernelGetAttribute(int *out, CUfunction_attribute which, CUkernel handle, CUdevice) {
    return call(
        Fn::KernelGetAttribute,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            const CUresult result = kernel_of(handle, &kernel);
            if (result == CUDA_SUCCESS) *out = attribute_of(*kernel, which);
            return result;
        },
        out);
}

CUresult api_KernelSetAttribute(CUfunction_attribute which, int value, CUkernel handle, CUdevice) {
    return call(Fn::KernelSetAttribute, [&](Lock &) {
        Kernel *kernel = nullptr;
        const CUresult result = kernel_of(handle, &kernel);
        return result == CUDA_SUCCESS ? set_attribute(*kernel, which, value) : result;
    });
}

CUresult api_FuncGetAttribute(int *out, CUfunction_attribute which, CUfunction handle) {
    return call(
        Fn::FuncGetAttribute,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            const CUresult result = find_function(handle, &kernel);
            if (result == CUDA_SUCCESS) *out = attribute_of(*kernel, which);
            return result;
        },
        out);
}

CUresult api_FuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
    return call(Fn::FuncSetAttribute, [&](Lock &) {
        Kernel *kernel = nullptr;
        const CUresult result = find_function(handle, &kernel);
        return result == CUDA_SUCCESS ? set_attribute(*kernel, which, value) : result;
    });
}
