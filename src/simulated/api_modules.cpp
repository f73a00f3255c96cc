// SPDX-License-Identifier: Apache-2.0
// Modules, kernels, launches and host functions.
#include <cstdio>

#include "simulated/driver_call.hpp"
#include "simulated/kernel_launch.hpp"
#include "simulated/ptx.hpp"

using namespace gs::simulated;

namespace {

constexpr int kOptInShared = 227 * 1024;

struct Log {
    char *text = nullptr;
    size_t size = 0;
};

Log error_log(unsigned count, CUjit_option *options, void **values) {
    Log log;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log.text = static_cast<char *>(values[i]);
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) log.size = reinterpret_cast<size_t>(values[i]);
    }
    return log;
}

CUresult load(CUmodule *out, const void *image, const Log &log) {
    Context *context = nullptr;
    CUresult result = current_context(&context);
    if (result == CUDA_SUCCESS) result = check_unsafe();
    if (result != CUDA_SUCCESS) return result;
    if (!image || !out) return CUDA_ERROR_INVALID_VALUE;
    const auto *bytes = static_cast<const unsigned char *>(image);
    // Code for a GPU: an ELF file, or a fat binary. There is no such GPU.
    if (std::memcmp(bytes, "\x7f", 1) == 0 || std::memcmp(bytes, "\x50", 1) == 0) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    const PtxResult ptx = parse_ptx(static_cast<const char *>(image));
    if (!ptx.log.empty()) {
        if (log.text && log.size > 0) std::snprintf(log.text, log.size, "%s", ptx.log.c_str());
        return CUDA_ERROR_INVALID_PTX;
    }
    Module *module = new_module(*context);
    for (const PtxEntry &entry : ptx.entries) {
        auto kernel = std::make_unique<Kernel>();
        kernel->name = entry.name;
        kernel->parameters = entry.parameters;
        kernel->module = module;
        world().kernels[kernel.get()] = module;
        module->kernels[entry.name] = std::move(kernel);
    }
    *out = reinterpret_cast<CUmodule>(module);
    return CUDA_SUCCESS;
}

} // namespace

CUresult api_ModuleLoadData(CUmodule *out, const void *image) {
    return call(Fn::ModuleLoadData, [&](Lock &) { return load(out, image, {}); }, out);
}

CUresult api_ModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, CUjit_option *options, void **values) {
    return call(Fn::ModuleLoadDataEx, [&](Lock &) { return load(out, image, error_log(count, options, values)); }, out);
}

CUresult api_ModuleUnload(CUmodule handle) {
    return call(Fn::ModuleUnload, [&](Lock &) {
        Context *context = nullptr;
        Module *module = nullptr;
        CUresult result = current_context(&context);
        if (result == CUDA_SUCCESS) result = check_unsafe();
        if (result == CUDA_SUCCESS) result = find_module(handle, &module);
        if (result != CUDA_SUCCESS) return result;
        if (module->context != context) return CUDA_ERROR_INVALID_CONTEXT;
        free_module(*module);
        return CUDA_SUCCESS;
    });
}

CUresult api_ModuleGetFunction(CUfunction *out, CUmodule handle, const char *name) {
    return call(
        Fn::ModuleGetFunction,
        [&](Lock &) {
            Module *module = nullptr;
            Context *context = nullptr;
            CUresult result = current_context(&context);
            if (result == CUDA_SUCCESS) result = find_module(handle, &module);
            if (result != CUDA_SUCCESS) return result;
            const auto found = module->kernels.find(name);
            if (found == module->kernels.end()) return CUDA_ERROR_NOT_FOUND;
            *out = reinterpret_cast<CUfunction>(found->second.get());
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_FuncGetAttribute(int *out, CUfunction_attribute which, CUfunction handle) {
    return call(
        Fn::FuncGetAttribute,
        [&](Lock &) {
            Kernel *kernel = nullptr;
            if (const CUresult result = find_function(handle, &kernel); result != CUDA_SUCCESS) return result;
            *out = which == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? kernel->max_dynamic_shared : 0;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_FuncSetAttribute(CUfunction handle, CUfunction_attribute which, int value) {
    return call(Fn::FuncSetAttribute, [&](Lock &) {
        Kernel *kernel = nullptr;
        if (const CUresult result = find_function(handle, &kernel); result != CUDA_SUCCESS) return result;
        if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > kOptInShared)
            return CUDA_ERROR_INVALID_VALUE;
        kernel->max_dynamic_shared = value;
        return CUDA_SUCCESS;
    });
}

CUresult api_LaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, CUstream stream_handle, void **arguments,
                          void **extra) {
    return call(Fn::LaunchKernel, [&](Lock &) {
        Stream *stream = nullptr;
        Kernel *kernel = nullptr;
        Implementation implementation;
        const LaunchShape launch{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared};
        CUresult result = find_stream(stream_handle, &stream);
        if (result == CUDA_SUCCESS) result = find_function(handle, &kernel);
        if (result != CUDA_SUCCESS) return result;
        if (kernel->module->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
        if (extra) return CUDA_ERROR_INVALID_VALUE;
        result = check_launch(handle, launch, &kernel, &implementation);
        if (result != CUDA_SUCCESS) return result;
        auto prepared = prepare_launch(*kernel, implementation, launch, arguments);
        return to_result(launch_kernel(*stream->native, std::move(prepared)), *stream->context);
    });
}

CUresult api_LaunchHostFunc(CUstream handle, CUhostFn fn, void *data) {
    return call(Fn::LaunchHostFunc, [&](Lock &) {
        if (!fn) return CUDA_ERROR_INVALID_VALUE;
        Stream *stream = nullptr;
        const CUresult result = find_stream(handle, &stream);
        if (result != CUDA_SUCCESS) return result;
        const engine::Task task = host_task(fn, data);
        const engine::Result put = world().engine->launch(*stream->native, task);
        if (put != engine::Result::Ok) task.drop(task.arg);
        return to_result(put, *stream->context);
    });
}
