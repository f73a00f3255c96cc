// SPDX-License-Identifier: Apache-2.0
// The random state of a device: a key and a position, from which kernels draw Philox 4x32-10. Each function is the C
// function that it calls: its errors and its thread rule are in gpustream.h.
#pragma once

#include "device.hpp"
#include "refs.hpp"

GPUSTREAM_BEGIN_NAMESPACE
namespace rng {

/// Seed and offset, as torch.cuda.get_rng_state() packs them. The offset counts numbers of 32 bits and is a multiple of 4.
struct state {
    uint64_t seed = 0;
    uint64_t offset = 0;
};

/// Sets the seed, and the offset to 0.
inline outcome<void> seed(uint64_t value, device on = device::current()) {
    return detail::done(detail::with_abi(gs_rng_set_state, on.get(), value, 0));
}
inline outcome<state> get_state(device on = device::current()) {
    state found;
    const gs_status_t status = detail::with_abi(gs_rng_get_state, on.get(), &found.seed, &found.offset);
    return detail::value(status, found);
}
inline outcome<void> set_state(const state &wanted, device on = device::current()) {
    return detail::done(detail::with_abi(gs_rng_set_state, on.get(), wanted.seed, wanted.offset));
}
/// gs_rng_reserve(): `count` numbers for each thread of a kernel that is enqueued next in the stream. In a capture the
/// result has addresses, which the kernel reads.
inline outcome<gs_philox_t> reserve(stream_ref stream, uint64_t count) {
    gs_philox_t found{};
    found.struct_size = sizeof found;
    const gs_status_t status = gs_rng_reserve(stream.get(), count, &found);
    return detail::value(status, found);
}

} // namespace rng
GPUSTREAM_END_NAMESPACE
