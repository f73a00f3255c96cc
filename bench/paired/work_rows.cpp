// SPDX-License-Identifier: Apache-2.0
// Kernels, host functions and random numbers.
#include "objects.hpp"
#include "pairs.hpp"

namespace paired {
namespace {

// Does nothing on a GPU. The fake driver has a kernel of this name.
constexpr char kPtx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                        ".visible .entry add_one(.param .u64 word)\n{\n    ret;\n}\n";

void add_kernels(Pairs &pairs) {
    StreamPair stream;
    void *module = nullptr, *function = nullptr;
    (void)g_driver.set_context(g_driver.context);
    (void)g_driver.module_load(&module, kPtx);
    (void)g_driver.module_function(&function, module, "add_one");
    StreamPair::restore();
    gs_module_t loaded = nullptr;
    gs_kernel_t kernel = nullptr;
    (void)gs_module_load(0, kPtx, sizeof kPtx, &loaded);
    (void)gs_module_get_kernel(loaded, "add_one", &kernel);
    void *word = nullptr;
    (void)gs_malloc_async(sizeof(uint64_t), stream.ours, &word);
    stream.settle();
    void *arguments[] = {&word};
    const gs_launch_config_t config = {sizeof config, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, nullptr};
    pairs.add(
        "kernel launch", 50,
        [&](int) { return g_driver.launch(function, 1, 1, 1, 1, 1, 1, 0, stream.theirs, arguments, nullptr); },
        [&](int) { return gs_kernel_launch(kernel, &config, arguments, stream.ours); }, [&] { stream.settle(); });
    (void)gs_free_async(word, stream.ours);
    stream.settle();
    (void)gs_module_destroy(loaded); // the driver's own copy ends with the process
}

void add_host_functions(Pairs &pairs) {
    StreamPair stream;
    const auto nothing = [](void *) {};
    pairs.add(
        "launch_host", 50, [&](int) { return g_driver.launch_host(stream.theirs, nothing, nullptr); },
        [&](int) { return gs_stream_launch_host(stream.ours, nothing, nullptr); }, [&] { stream.settle(); });
}

void add_random_state(Pairs &pairs) {
    StreamPair stream;
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    pairs.add_alone("rng reserve", 500, [&](int) { return gs_rng_reserve(stream.ours, 4, &philox); });
}

} // namespace

void add_work_rows(Pairs &pairs) {
    add_kernels(pairs);
    add_host_functions(pairs);
    add_random_state(pairs);
}

} // namespace paired
