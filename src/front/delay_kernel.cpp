// SPDX-License-Identifier: Apache-2.0
#include "front/delays.hpp"

#include "front/driver.hpp"
#include "front/pointer_table.hpp"

namespace gs::front {
namespace {

// PTX for sm_50, as the library's other kernels. %globaltimer counts nanoseconds, whatever the clocks do. A node runs many times, and
// its count decides which of the times it is late. So a graph has the same form in all runs and captures.
constexpr char kDelayPtx[] = R"ptx(
.version 6.0
.target sm_50
.address_size 64

.global .align 4 .b32 gs_delay_counts[4096];

.visible .entry gs_delay(.param .u64 gs_delay_ns, .param .u32 gs_delay_odds, .param .u32 gs_delay_place)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<10>;

    ld.param.u64 %rd1, [gs_delay_ns];
    ld.param.u32 %r1, [gs_delay_odds];
    ld.param.u32 %r2, [gs_delay_place];
    setp.ge.u32 %p1, %r1, 100;
    @%p1 bra late;
    and.b32 %r3, %r2, 1023;
    mul.wide.u32 %rd2, %r3, 4;
    mov.u64 %rd3, gs_delay_counts;
    add.s64 %rd4, %rd3, %rd2;
    atom.global.add.u32 %r4, [%rd4], 1;
    mad.lo.u32 %r5, %r4, 668265261, %r2;
    shr.u32 %r6, %r5, 15;
    xor.b32 %r7, %r5, %r6;
    mul.lo.u32 %r8, %r7, 739982445;
    shr.u32 %r9, %r8, 16;
    rem.u32 %r10, %r9, 100;
    setp.ge.u32 %p2, %r10, %r1;
    @%p2 bra done;
late:
    mov.u64 %rd5, %globaltimer;
again:
    mov.u64 %rd6, %globaltimer;
    sub.s64 %rd7, %rd6, %rd5;
    setp.lt.u64 %p3, %rd7, %rd1;
    @%p3 bra again;
done:
    ret;
}
)ptx";

PointerTable g_delay_functions; // by context; 1: it cannot be loaded there

CUfunction delay_function() noexcept {
    CUcontext context = current_context();
    const std::atomic<uint64_t> *known =
        context ? g_delay_functions.find(reinterpret_cast<uintptr_t>(context), false) : nullptr;
    const uint64_t function = known ? known->load(std::memory_order_acquire) : 0;
    return function > 1 ? reinterpret_cast<CUfunction>(function) : nullptr;
}

CUfunction load_delay_function() noexcept {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    if (!g_real.load_module || !g_real.get_function) return nullptr;
    const Relaxed relaxed; // another thread may be capturing
    const bool loaded = g_real.load_module(&module, kDelayPtx) == CUDA_SUCCESS &&
                        g_real.get_function(&function, module, "gs_delay") == CUDA_SUCCESS;
    if (loaded && g_real.load_function) g_real.load_function(function); // else the first launch loads it, if it may
    return loaded ? function : nullptr;
}

struct Arguments {
    uint64_t ns;
    uint32_t odds, place;
    void *pointers[3] = {&ns, &odds, &place};
};

} // namespace

bool prepare_delay_kernel() noexcept {
    CUcontext context = current_context();
    std::atomic<uint64_t> *known =
        context ? g_delay_functions.find(reinterpret_cast<uintptr_t>(context), true) : nullptr;
    if (!known) return false;
    if (known->load(std::memory_order_acquire) == 0) { // two threads may both load it
        CUfunction function = load_delay_function();
        known->store(function ? reinterpret_cast<uintptr_t>(function) : 1, std::memory_order_release);
    }
    return known->load(std::memory_order_acquire) > 1;
}

bool put_delay(uint64_t stream, uint64_t ns, uint32_t odds, uint32_t place) noexcept {
    CUfunction function = delay_function();
    if (!function || !g_real.launch_kernel) return false;
    Arguments arguments{ns, odds, place};
    return g_real.launch_kernel(function, 1, 1, 1, 1, 1, 1, 0, reinterpret_cast<CUstream>(stream), arguments.pointers,
                                nullptr) == CUDA_SUCCESS;
}

bool add_delay_node(CUgraph graph, CUgraphNode after, const CUgraphNode *dependencies, size_t count, uint64_t ns,
                    uint32_t odds, uint32_t place) noexcept {
    CUfunction function = delay_function();
    if (!function || !g_real.add_kernel_node || !g_real.add_edges) return false;
    Arguments arguments{ns, odds, place};
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.func = function;
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = arguments.pointers;
    CUgraphNode node = nullptr;
    return g_real.add_kernel_node(&node, graph, dependencies, count, &parameters) == CUDA_SUCCESS &&
           g_real.add_edges(graph, &node, &after, 1) == CUDA_SUCCESS;
}

} // namespace gs::front
