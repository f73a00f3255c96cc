// SPDX-License-Identifier: Apache-2.0
// P26: may memory be freed after its pool was destroyed? The documentation allows it. The first such free, of a pool that another
// stream has freed into, ended processes much later: in the first synchronize after a module was loaded.
#include "backend/cuda/module/own_ptx.hpp"
#include "probe_driver.hpp"

namespace probes {
namespace {

enum class Free { Before, After };

template <Free when>
void free_and_destroy(const char *image) {
    start();
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemoryPool pool = nullptr;
    GS_MUST(d.mem_pool_create(&pool, &props));
    const CUstream stream = new_stream(), other = new_stream();
    CUdeviceptr block = 0, others = 0;
    GS_MUST(d.mem_alloc_from_pool_async(&block, 3584, pool, stream));
    GS_MUST(d.mem_alloc_from_pool_async(&others, 7168, pool, other));
    GS_MUST(d.mem_free_async(others, other));
    if (when == Free::Before) GS_MUST(d.mem_free_async(block, stream));
    const auto destroy = reinterpret_cast<PFN_cuMemPoolDestroy_v11020>(
        dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "cuMemPoolDestroy"));
    GS_MUST(destroy(pool));
    if (when == Free::After) GS_FINDING("the free after the destruction: %d", d.mem_free_async(block, stream));
    GS_MUST(d.stream_synchronize(stream));
    CUmodule module = nullptr;
    GS_FINDING("a module is loaded: %d", d.module_load_data_ex(&module, image, 0, nullptr, nullptr));
    GS_FINDING("the other stream is synchronized: %d", d.stream_synchronize(other));
}

} // namespace

const Probe kPoolProbes[] = {
    {"P26.before", [] { free_and_destroy<Free::Before>(gs::cuda::kConditionPtx); }},
    {"P26.after", [] { free_and_destroy<Free::After>(gs::cuda::kConditionPtx); }},
    {"P26.after.plain", [] { free_and_destroy<Free::After>(gs::cuda::kSleepPtx); }},
};
const int kPoolProbeCount = static_cast<int>(sizeof kPoolProbes / sizeof kPoolProbes[0]);

} // namespace probes
