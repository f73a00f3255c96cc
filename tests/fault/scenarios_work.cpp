// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "conformance/kernels.hpp"
#include "fault/scenario.hpp"
#include "support/launches.hpp"

namespace gs::test {
namespace {

// Memory that is still allocated after a failed free is freed in the next run. It may be gone if the driver was asked.
std::vector<void *> g_left_on_device, g_left_on_host;

bool driver_was_asked_for_work() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    (void)gs_last_error(&info);
    return std::strncmp(info.native_function, "cuMemFree", 9) == 0;
}

void free_work(gs_stream_t stream) {
    for (void *pointer : std::exchange(g_left_on_device, {})) (void)gs_free_async(pointer, stream);
    for (void *pointer : std::exchange(g_left_on_host, {})) (void)gs_free_host(pointer);
}

// Frees memory, and remembers what is left.
void give_back(Run &run, void *pointer, gs_stream_t stream, bool host) {
    gs_status_t freed = GS_OK;
    run.clean(host ? "gs_free_host(host)" : "gs_free_async(device, stream)",
              [&] { return freed = host ? gs_free_host(pointer) : gs_free_async(pointer, stream); });
    if (freed != GS_OK && !driver_was_asked_for_work()) (host ? g_left_on_host : g_left_on_device).push_back(pointer);
}

void memory(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    free_work(stream);
    void *device = nullptr, *host = nullptr;
    DO(gs_malloc_async(4096, stream, run.out(&device)));
    if (run.step("gs_malloc_host(4096)", GS_OK, [&] { return gs_malloc_host(4096, run.out(&host)); })) {
        (void)(run.step("gs_memset_async(device)", GS_OK, [&] { return gs_memset_async(device, 7, 4096, stream); }) &&
               run.step("gs_memcpy_async(host)", GS_OK, [&] { return gs_memcpy_async(host, device, 4096, stream); }) &&
               run.step("gs_stream_synchronize(stream)", GS_OK, [&] { return gs_stream_synchronize(stream); }));
        if (run.status == GS_OK) run.require(static_cast<unsigned char *>(host)[4095] == 7, "the copy");
        const gs_copy_t halves[] = {{device, host, 2048}, {static_cast<char *>(device) + 2048, host, 2048}};
        (void)run.step("gs_memcpy_batch_async(halves)", GS_OK,
                       [&] { return gs_memcpy_batch_async(halves, 2, GS_ACCESS_ORDER_DURING_CALL, stream); });
        give_back(run, host, stream, true);
    }
    give_back(run, device, stream, false);
}

void memory_of_default_stream(Run &run) {
    gs_stream_t stream = nullptr;
    void *device = nullptr;
    DO(gs_default_stream(0, run.out(&stream)));
    free_work(stream);
    DO(gs_malloc_async(64, stream, run.out(&device)));
    (void)run.step("gs_memset_async(device)", GS_OK, [&] { return gs_memset_async(device, 7, 64, stream); });
    give_back(run, device, stream, false);
}

void too_much_memory(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    void *device = nullptr;
    DO_FAILING(GS_ERROR_OUT_OF_MEMORY, gs_malloc_async(size_t{1} << 40, stream, run.out(&device)));
}

void kernels(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MadeModule module(run, "gs_module_destroy(module)");
    MAKE(module, gs_module_load(0, kPtx, sizeof kPtx, module.out()));
    gs_kernel_t kernel = nullptr;
    DO(gs_module_get_kernel(module, "scratch", run.out(&kernel)));
    // Lives as long as the process: a run that ends early leaves its first kernel behind, which may write at any time.
    static std::deque<uint32_t> runs;
    uint32_t &seen = runs.emplace_back(0);
    uint32_t *out = &seen;
    void *arguments[] = {&out};
    const gs_launch_config_t config = launch_of(1, 1);
    const gs_launch_config_t large = launch_of(1, 1, 100000);
    DO(gs_kernel_launch(kernel, &config, arguments, stream));
    DO(gs_kernel_launch(kernel, &large, arguments, stream));
    DO(gs_stream_sleep(stream, 1000));
    DO(gs_stream_synchronize(stream));
    run.require(seen == 100000, "the second launch's shared memory");
}

void host_function(Run &run) {
    // A run that fails half-way leaves its functions behind, which count for that run only.
    static std::deque<std::atomic<int>> counts;
    const auto add_one = [](void *count) { ++*static_cast<std::atomic<int> *>(count); };
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    bool launched[3];
    const size_t first = counts.size();
    for (bool &done : launched) {
        std::atomic<int> &ran = counts.emplace_back(0);
        done = run.step("gs_stream_launch_host(stream)", GS_OK,
                        [&] { return gs_stream_launch_host(stream, add_one, &ran); });
    }
    const bool finished =
        run.step("gs_stream_synchronize(stream)", GS_OK, [&] { return gs_stream_synchronize(stream); });
    for (size_t i = 0; i < 3; ++i) {
        const int ran = counts[first + i];
        if (ran > (launched[i] ? 1 : 0) || (finished && launched[i] && ran == 0))
            run.complaints.push_back("a host function ran " + std::to_string(ran) + " times, its launch " +
                                     (launched[i] ? "succeeded" : "failed"));
    }
}

struct Notice {
    std::mutex mutex;
    std::condition_variable changed;
    int calls = 0;
};

void notify(Run &run) {
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    DO(gs_stream_sleep(stream, 1000));
    Notice notice;
    const auto told = [](void *opaque, gs_status_t) {
        auto &one = *static_cast<Notice *>(opaque);
        std::lock_guard<std::mutex> lock(one.mutex);
        ++one.calls;
        one.changed.notify_all();
    };
    DO(gs_stream_notify(stream, told, &notice));
    // Exactly once, also if the device breaks in between. If it is never called the child hangs and is ended.
    std::unique_lock<std::mutex> lock(notice.mutex);
    notice.changed.wait(lock, [&] { return notice.calls > 0; });
    lock.unlock();
    run.require(notice.calls == 1, "told once");
}

} // namespace

std::vector<Scenario> work_scenarios() {
    return {{"memory", memory},
            {"memory_without_pools", memory, false, "FAKE_CUDA_NO_POOLS=1"},
            {"memory_of_default_stream", memory_of_default_stream},
            {"too_much_memory", too_much_memory},
            {"kernels", kernels},
            {"host_function", host_function},
            {"notify", notify}};
}

} // namespace gs::test
