// SPDX-License-Identifier: Apache-2.0
// The kernels that come with the library, as PTX.
#pragma once

namespace gs::cuda {

// The kernel of gs_stream_sleep: one thread that watches the cycle counter of its multiprocessor.
//
// PTX 6.0 for sm_50 on purpose. A driver compiles PTX for any device at least as new as the target, and the oldest
// devices of the drivers that we accept (12.0 on) are Maxwell. Newer compilers no longer produce code *for* such old
// devices, but still take PTX written for them.
inline constexpr char kSleepKernelName[] = "gs_sleep";

inline constexpr char kSleepPtx[] = R"ptx(
.version 6.0
.target sm_50
.address_size 64

.visible .entry gs_sleep(.param .u64 gs_sleep_cycles)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<5>;

    ld.param.u64 %rd1, [gs_sleep_cycles];
    mov.u64 %rd2, %clock64;
again:
    mov.u64 %rd3, %clock64;
    sub.s64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    ret;
}
)ptx";

// The kernel of GS_NODE_SET_CONDITION: one thread that hands a word in memory to the condition of a graph.
//
// Only device code can set a condition. CUDA C++ calls cudaGraphSetConditional() for it. The driver itself resolves
// that function when it compiles or links a module, from CUDA 12.3 on; it is not in the device runtime library. So
// PTX with an extern declaration is enough: it needs no compiler and no libcudadevrt. The kernel is a module of its
// own, so that a driver that lacks the function still loads our other kernels. PTX 6.0 for sm_50 as above.
inline constexpr char kConditionKernelName[] = "gs_set_condition";

inline constexpr char kConditionPtx[] = R"ptx(
.version 6.0
.target sm_50
.address_size 64

.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 value);

.visible .entry gs_set_condition(.param .u64 gs_condition, .param .u64 gs_word)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<4>;

    ld.param.u64 %rd1, [gs_condition];
    ld.param.u64 %rd2, [gs_word];
    cvta.to.global.u64 %rd3, %rd2;
    ld.volatile.global.u32 %r1, [%rd3];
    {
    .param .b64 condition;
    .param .b32 value;
    st.param.b64 [condition], %rd1;
    st.param.b32 [value], %r1;
    call.uni cudaGraphSetConditional, (condition, value);
    }
    ret;
}
)ptx";

} // namespace gs::cuda
