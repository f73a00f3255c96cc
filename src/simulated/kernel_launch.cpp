// SPDX-License-Identifier: Apache-2.0
#include "simulated/kernel_launch.hpp"

#include <gpustream.h>
#include <time.h>

#include <cerrno>
#include <cstring>

#include "base/dynlib.hpp"

namespace gs::simulated {
namespace {

using Kernels = std::map<std::string, Implementation>;

void sleep_ns(uint64_t ns) {
    timespec rest{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
}

uint64_t number_at(void **arguments) {
    uint64_t number = 0;
    std::memcpy(&number, arguments[0], sizeof number);
    return number;
}

// What our kernel does with cudaGraphSetConditional().
void set_condition(const LaunchShape &, void **arguments) {
    const uint32_t *word = nullptr;
    std::memcpy(&word, arguments[1], sizeof word);
    reinterpret_cast<engine::GraphCondition *>(number_at(arguments))->value.store(*word);
}

// Of `gpustream shake`: a node of a graph is late every second time. What a test runs takes longer than any clock's step.
void shake_delay(const LaunchShape &, void **arguments) {
    static std::atomic<uint32_t> runs{0};
    uint32_t odds = 0;
    std::memcpy(&odds, arguments[1], sizeof odds);
    if (odds < 100 && (odds == 0 || runs.fetch_add(1) % 2 != 0)) return;
    sleep_ns(number_at(arguments));
}

Implementation implementation(std::vector<size_t> parameters, KernelBody body) {
    return std::make_shared<const KernelImplementation>(KernelImplementation{std::move(parameters), std::move(body)});
}

Kernels &registry() {
    static auto *const kernels = new Kernels{{"gs_sleep", implementation({8}, {})},
                                             {"gs_delay", implementation({8, 4, 4}, shake_delay)},
                                             {"gs_set_condition", implementation({8, sizeof(void *)}, set_condition)}};
    return *kernels;
}

// Kernels of the library that `gpustream run --kernels` names, as gs_module_load() has them on the host backend.
using HostKernel = void (*)(const gs_kernel_context_t *context, void **arguments);

void run_blocks(HostKernel kernel, const LaunchShape &shape, void **arguments) {
    std::vector<unsigned char> shared(shape.shared_bytes);
    gs_kernel_context_t context{};
    context.struct_size = sizeof context;
    context.grid_dim_x = shape.grid[0];
    context.grid_dim_y = shape.grid[1];
    context.grid_dim_z = shape.grid[2];
    context.block_dim_x = shape.block[0];
    context.block_dim_y = shape.block[1];
    context.block_dim_z = shape.block[2];
    context.shared_memory_bytes = shape.shared_bytes;
    context.shared_memory = shared.empty() ? nullptr : shared.data();
    bool is_last = false; // blocks run one after the other
    context.launch = &is_last;
    context.trigger = [](void *last) {
        if (*static_cast<bool *>(last)) trigger_launches();
    };
    context.wait_for_earlier = [](void *) { wait_for_earlier(); };
    ++thread().in_callback;
    for (context.block_z = 0; context.block_z < shape.grid[2]; ++context.block_z)
        for (context.block_y = 0; context.block_y < shape.grid[1]; ++context.block_y)
            for (context.block_x = 0; context.block_x < shape.grid[0]; ++context.block_x) {
                is_last = context.block_x + 1 == shape.grid[0] && context.block_y + 1 == shape.grid[1] &&
                          context.block_z + 1 == shape.grid[2];
                gs_kernel_context_t own = context; // what a kernel writes there is not seen by other blocks
                kernel(&own, arguments);
            }
    --thread().in_callback;
}

// Of a kernel that this driver does not know itself.
Implementation bind(const Kernel &kernel) {
    void *library = world().kernel_library;
    void *symbol = library ? find_symbol(library, kernel.name.c_str()) : nullptr;
    KernelImplementation made{kernel.parameters, {}, true};
    if (symbol && !is_data(symbol)) {
        HostKernel entry = nullptr;
        std::memcpy(&entry, &symbol, sizeof entry);
        made = {kernel.parameters,
                [entry](const LaunchShape &shape, void **arguments) { run_blocks(entry, shape, arguments); }};
        const std::string sizes_name = kernel.name + "_argument_sizes";
        const auto *sizes = static_cast<const size_t *>(find_symbol(library, sizes_name.c_str()));
        if (sizes) made.parameters.clear();
        for (; sizes && *sizes != 0; ++sizes) made.parameters.push_back(*sizes);
    } else {
        made.body = [](const LaunchShape &, void **) { sleep_ns(static_cast<uint64_t>(world().kernel_time_ns)); };
    }
    return std::make_shared<const KernelImplementation>(std::move(made));
}

// The time of a kernel that only takes time.
bool takes_time(const KernelLaunch &launch, uint64_t *out_ns) {
    if (launch.implementation->takes_time)
        *out_ns = static_cast<uint64_t>(world().kernel_time_ns);
    else if (!launch.implementation->body)
        *out_ns = number_at(const_cast<void **>(launch.pointers.data()));
    else
        return false;
    return true;
}

void start(void *opaque, engine::Stream &stream) { static_cast<KernelLaunch *>(opaque)->stream = &stream; }

void run(void *opaque) {
    auto &launch = *static_cast<KernelLaunch *>(opaque);
    thread().running = launch.stream;
    launch.implementation->body(launch.configuration, launch.pointers.data());
    thread().running = nullptr;
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

bool possible(const LaunchShape &launch, const Kernel &kernel) {
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

void trigger_launches() { world().engine->trigger(*thread().running); }

void wait_for_earlier() {
    const engine::Stream &stream = *thread().running;
    if (stream.behind) (void)engine::Engine::wait_done(*stream.device, *stream.behind, false);
}

void register_kernel(const std::string &name, const std::vector<size_t> &parameters, KernelBody body) {
    registry()[name] = implementation(parameters, std::move(body));
}

Implementation find_kernel(Kernel &kernel) {
    if (const auto found = registry().find(kernel.name); found != registry().end()) return found->second;
    if (!kernel.bound && world().kernel_time_ns >= 0) kernel.bound = bind(kernel);
    return kernel.bound;
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

CUresult check_launch(CUfunction handle, const LaunchShape &configuration, Kernel **out_kernel,
                      Implementation *out_implementation) {
    const CUresult result = find_function(handle, out_kernel);
    if (result != CUDA_SUCCESS) return result;
    if (!possible(configuration, **out_kernel)) return CUDA_ERROR_INVALID_VALUE;
    *out_implementation = find_kernel(**out_kernel);
    if (*out_implementation) return CUDA_SUCCESS;
    violation("kernel '%s' was launched, which this driver cannot run", (*out_kernel)->name.c_str());
    return CUDA_ERROR_NOT_SUPPORTED;
}

std::unique_ptr<KernelLaunch> prepare_launch(const Kernel &kernel, const Implementation &implementation,
                                             const LaunchShape &configuration, void **arguments) {
    auto launch = std::make_unique<KernelLaunch>(KernelLaunch{&kernel, implementation, configuration, {}, {}});
    for (size_t i = 0; i < implementation->parameters.size(); ++i) {
        const auto *bytes = static_cast<const unsigned char *>(arguments[i]);
        launch->values.emplace_back(bytes, bytes + implementation->parameters[i]);
    }
    point(*launch);
    return launch;
}

engine::Result launch_kernel(engine::Stream &stream, std::unique_ptr<KernelLaunch> launch,
                             const engine::LaunchTraits &traits) {
    engine::Engine &engine = *world().engine;
    uint64_t ns = 0;
    // Of a captured kernel, the arguments can be asked for.
    const bool is_captured = launch->implementation->takes_time && engine::Engine::capture_of(stream) != 0;
    if (!is_captured && takes_time(*launch, &ns)) return engine.sleep(stream, ns);
    const engine::Task task{run, drop, launch.get(), copy, start};
    const engine::Result result = engine.launch(stream, task, engine::NodeKind::Kernel, traits);
    if (result == engine::Result::Ok) (void)launch.release();
    return result;
}

void to_body(std::unique_ptr<KernelLaunch> launch, engine::NodeBody *out) {
    out->kind = engine::NodeKind::Kernel;
    out->action = engine::NodeAction::Task;
    if (takes_time(*launch, &out->delay_ns)) out->action = engine::NodeAction::Sleep;
    out->work = engine::Ref<engine::Work>(new engine::Work({run, drop, launch.release(), copy, start}));
}

engine::Task host_task(CUhostFn fn, void *data) {
    const auto end = [](void *function) { delete static_cast<HostFunction *>(function); };
    return {run_host_function, end, new HostFunction{fn, data}};
}

} // namespace gs::simulated
