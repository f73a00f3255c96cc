// SPDX-License-Identifier: Apache-2.0
// The kernel of gs_stream_sleep: one thread that watches the cycle counter of its multiprocessor.
//
// PTX 6.0 for sm_50 on purpose. A driver compiles PTX for any device at least as new as the target, and the oldest
// devices of the drivers that we accept (12.0 on) are Maxwell. Newer compilers no longer produce code *for* such old
// devices, but still take PTX written for them.
#pragma once

namespace gs::cuda {

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

} // namespace gs::cuda
