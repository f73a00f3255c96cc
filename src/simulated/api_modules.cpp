// SPDX-License-Identifier: Apache-2.0
// Modules, kernels and host functions.
#include <cstdio>

#include "simulated/driver_call.hpp"
#include "simulated/kernel_image.hpp"
#include "simulated/kernel_launch.hpp"

namespace gs::simulated {

CUresult load_image(Context &context, const void *image, const BuildLog &log, Module **out) {
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    const auto *bytes = static_cast<const unsigned char *>(image);
    std::vector<KernelEntry> entries;
    if (std::memcmp(bytes,
                    "\x7f"
                    "ELF",
                    4) == 0 &&
        world().kernel_time_ns >= 0) {
        entries = read_cubin(bytes);
    } else if (bytes[0] == 0x7f || bytes[0] == 0x50) { // code for a GPU, or a fat binary
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    } else {
        PtxResult ptx = parse_ptx(static_cast<const char *>(image));
        if (!ptx.log.empty()) {
            if (log.text && log.size > 0) std::snprintf(log.text, log.size, "%s", ptx.log.c_str());
            return CUDA_ERROR_INVALID_PTX;
        }
        entries = std::move(ptx.entries);
    }
    Module *module = new_module(context);
    for (const KernelEntry &entry : entries) {
        auto kernel = std::make_unique<Kernel>();
        kernel->name = entry.name;
        kernel->parameters = entry.parameters;
        kernel->module = module;
        world().kernels[kernel.get()] = module;
        module->kernels[entry.name] = std::move(kernel);
    }
    *out = module;
    return CUDA_SUCCESS;
}

BuildLog error_log(unsigned count, CUjit_option *options, void **values) {
    BuildLog log;
    for (unsigned i = 0; i < count; ++i) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) log.text = static_cast<char *>(values[i]);
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) log.size = reinterpret_cast<size_t>(values[i]);
    }
    return log;
}

} // namespace gs::simulated

using namespace gs::simulated;

namespace {

CUresult load(CUmodule *out, const void *image, const BuildLog &log) {
    Context *context = nullptr;
    CUresult result = current_context(&context);
    if (result == CUDA_SUCCESS) result = check_unsafe();
    if (result != CUDA_SUCCESS) return result;
    Module *module = nullptr;
    result = out ? load_image(*context, image, log, &module) : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUmodule>(module);
    return result;
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
