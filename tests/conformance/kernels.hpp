// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels/host_kernels.c for CUDA devices: small, hand-written, in a PTX version that all drivers accept.
#pragma once

namespace gs::test {

inline constexpr const char kPtx[] = R"(.version 7.0
.target sm_52
.address_size 64

.extern .shared .align 4 .b8 dynamic_memory[];

.visible .entry fill_index(.param .u64 out_p, .param .u32 base_p, .param .u32 count_p)
{
    .reg .pred %past;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d0, [out_p];
    ld.param.u32 %r0, [base_p];
    ld.param.u32 %r1, [count_p];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %past, %r5, %r1;
    @%past bra END;
    add.u32 %r6, %r0, %r5;
    cvta.to.global.u64 %d1, %d0;
    mul.wide.u32 %d2, %r5, 4;
    add.u64 %d3, %d1, %d2;
    st.global.u32 [%d3], %r6;
END:
    ret;
}

.visible .entry add_one(.param .u64 counter_p)
{
    .reg .pred %other;
    .reg .b32 %r<6>;
    .reg .b64 %d<2>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    or.b32 %r2, %r0, %r1;
    setp.ne.u32 %other, %r2, 0;
    @%other bra END;
    ld.param.u64 %d0, [counter_p];
    cvta.to.global.u64 %d1, %d0;
    ld.global.u32 %r3, [%d1];
    add.u32 %r4, %r3, 1;
    st.global.u32 [%d1], %r4;
END:
    ret;
}

.visible .entry scratch(.param .u64 seen_p)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.u64 %d0, [seen_p];
    cvta.to.global.u64 %d1, %d0;
    mov.u32 %r0, %dynamic_smem_size;
    st.global.u32 [%d1], %r0;
    ret;
}
)";

} // namespace gs::test
