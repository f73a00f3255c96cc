// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels/host_kernels.c that need compute capability 9.0, in PTX.
#pragma once

namespace gs::test {

inline constexpr const char kLaunchPtx[] = R"(.version 7.8
.target sm_90
.address_size 64

.visible .entry primary(.param .u64 flag_p, .param .u64 out_p, .param .u32 ms_p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<8>;
    griddepcontrol.launch_dependents;
    ld.param.u64 %d0, [flag_p];
    ld.param.u64 %d1, [out_p];
    ld.param.u32 %r0, [ms_p];
    cvta.to.global.u64 %d2, %d0;
    cvta.to.global.u64 %d3, %d1;
    mul.wide.u32 %d4, %r0, 1000000;
    mov.u64 %d5, %globaltimer;
    add.u64 %d4, %d4, %d5;
    mov.u32 %r1, 1;
AGAIN:
    ld.acquire.sys.global.u32 %r2, [%d2];
    setp.ne.u32 %p0, %r2, 0;
    @%p0 bra SEEN;
    mov.u64 %d5, %globaltimer;
    setp.lt.u64 %p1, %d5, %d4;
    @%p1 bra AGAIN;
    mov.u32 %r1, 2;
SEEN:
    st.global.u32 [%d3], %r1;
    ret;
}

.visible .entry secondary(.param .u64 flag_p, .param .u64 out_p, .param .u64 seen_p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<6>;
    ld.param.u64 %d0, [flag_p];
    ld.param.u64 %d1, [out_p];
    ld.param.u64 %d2, [seen_p];
    cvta.to.global.u64 %d3, %d0;
    cvta.to.global.u64 %d4, %d1;
    cvta.to.global.u64 %d5, %d2;
    mov.u32 %r0, 1;
    st.release.sys.global.u32 [%d3], %r0;
    griddepcontrol.wait;
    ld.volatile.global.u32 %r1, [%d4];
    st.global.u32 [%d5], %r1;
    ret;
}

.visible .entry cluster_size(.param .u64 out_p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [out_p];
    cvta.to.global.u64 %d1, %d0;
    mov.u32 %r0, %cluster_nctaid.x;
    st.global.u32 [%d1], %r0;
    ret;
}

.visible .entry meet(.param .u64 counter_p, .param .u32 blocks_p, .param .u64 out_p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %d<6>;
    ld.param.u64 %d0, [counter_p];
    ld.param.u32 %r0, [blocks_p];
    ld.param.u64 %d1, [out_p];
    cvta.to.global.u64 %d2, %d0;
    cvta.to.global.u64 %d3, %d1;
    atom.add.global.u32 %r1, [%d2], 1;
    mov.u64 %d4, %globaltimer;
    add.u64 %d4, %d4, 5000000000;
WAITING:
    ld.acquire.gpu.global.u32 %r2, [%d2];
    setp.ge.u32 %p0, %r2, %r0;
    @%p0 bra MET;
    mov.u64 %d5, %globaltimer;
    setp.lt.u64 %p1, %d5, %d4;
    @%p1 bra WAITING;
    ret;
MET:
    mov.u32 %r3, 1;
    st.global.u32 [%d3], %r3;
    ret;
}
)";

} // namespace gs::test
