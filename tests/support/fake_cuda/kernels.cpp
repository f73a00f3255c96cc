// SPDX-License-Identifier: Apache-2.0
#include "fake_cuda/kernels.hpp"

namespace fake {
namespace {

std::map<std::string, KernelImplementation> &registry() {
    static auto *const kernels = new std::map<std::string, KernelImplementation>{{"gs_sleep", {{8}, nullptr}}};
    return *kernels;
}

void run(void *opaque) {
    auto &launch = *static_cast<KernelLaunch *>(opaque);
    launch.implementation->body(&launch.configuration, launch.pointers.data());
}

void drop(void *opaque) { delete static_cast<KernelLaunch *>(opaque); }

void point(KernelLaunch &launch) {
    launch.pointers.clear();
    for (auto &value : launch.values) launch.pointers.push_back(value.data());
}

// Each run has its own copies: a kernel may write to its arguments.
void *copy(const void *opaque) {
    auto *made = new KernelLaunch(*static_cast<const KernelLaunch *>(opaque));
    point(*made);
    return made;
}

bool possible(const fake_cuda_launch_t &launch, const Kernel &kernel) {
    const uint32_t *grid = launch.grid, *block = launch.block;
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0 || block[0] == 0 || block[1] == 0 || block[2] == 0) return false;
    if (grid[0] > 0x7FFFFFFFu || grid[1] > 65535 || grid[2] > 65535) return false;
    if (block[0] > 1024 || block[1] > 1024 || block[2] > 64) return false;
    if (uint64_t{block[0]} * block[1] * block[2] > 1024) return false;
    return launch.shared_bytes <= static_cast<uint32_t>(kernel.max_dynamic_shared);
}

void run_host_function(void *opaque) {
    const auto &function = *static_cast<HostFunction *>(opaque);
    ++thread().in_callback;
    function.fn(function.data);
    --thread().in_callback;
}

} // namespace

void register_kernel(const char *name, const size_t *bytes, size_t count, KernelBody body) {
    registry()[name] = {std::vector<size_t>(bytes, bytes + count), body};
}

const KernelImplementation *find_kernel(const std::string &name) {
    const auto found = registry().find(name);
    return found == registry().end() ? nullptr : &found->second;
}

CUresult find_function(CUfunction handle, Kernel **out) {
    auto *kernel = reinterpret_cast<Kernel *>(handle);
    if (world().kernels.count(kernel) == 0) {
        violation("a kernel of an unloaded module, %p, was passed to the driver", static_cast<const void *>(kernel));
        return CUDA_ERROR_INVALID_HANDLE;
    }
    *out = kernel;
    return CUDA_SUCCESS;
}

CUresult check_launch(CUfunction handle, const fake_cuda_launch_t &configuration, Kernel **out_kernel,
                      const KernelImplementation **out_implementation) {
    const CUresult result = find_function(handle, out_kernel);
    if (result != CUDA_SUCCESS) return result;
    if (!possible(configuration, **out_kernel)) return CUDA_ERROR_INVALID_VALUE;
    *out_implementation = find_kernel((*out_kernel)->name);
    if (*out_implementation) return CUDA_SUCCESS;
    violation("kernel '%s' was launched, which the fake driver cannot run", (*out_kernel)->name.c_str());
    return CUDA_ERROR_NOT_SUPPORTED;
}

std::unique_ptr<KernelLaunch> prepare_launch(const Kernel &kernel, const KernelImplementation &implementation,
                                             const fake_cuda_launch_t &configuration, void **arguments) {
    auto launch = std::make_unique<KernelLaunch>(KernelLaunch{&kernel, &implementation, configuration, {}, {}});
    for (size_t i = 0; i < implementation.parameters.size(); ++i) {
        const auto *bytes = static_cast<const unsigned char *>(arguments[i]);
        launch->values.emplace_back(bytes, bytes + implementation.parameters[i]);
    }
    point(*launch);
    return launch;
}

engine::Result launch_kernel(engine::Stream &stream, std::unique_ptr<KernelLaunch> launch) {
    engine::Engine &engine = *world().engine;
    if (!launch->implementation->body)
        return engine.sleep(stream, launch->implementation->delay(launch->pointers.data()));
    const engine::Result result = engine.launch(stream, {run, drop, launch.get(), copy}, engine::NodeKind::Kernel);
    if (result == engine::Result::Ok) (void)launch.release();
    return result;
}

void to_body(std::unique_ptr<KernelLaunch> launch, engine::NodeBody *out) {
    out->kind = engine::NodeKind::Kernel;
    out->action = engine::NodeAction::Task;
    if (!launch->implementation->body) {
        out->action = engine::NodeAction::Sleep;
        out->delay_ns = launch->implementation->delay(launch->pointers.data());
    }
    out->work = engine::Ref<engine::Work>(new engine::Work({run, drop, launch.release(), copy}));
}

engine::Task host_task(CUhostFn fn, void *data) {
    const auto end = [](void *function) { delete static_cast<HostFunction *>(function); };
    return {run_host_function, end, new HostFunction{fn, data}};
}

} // namespace fake
