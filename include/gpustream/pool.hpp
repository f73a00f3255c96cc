// SPDX-License-Identifier: Apache-2.0
// Pools: memory of a device with a limit and statistics. Each function is the C function that it calls: its errors, whether
// it blocks and its thread rule are in gpustream.h. Buffers take their memory from one by buffer::create().
#pragma once

#include "device.hpp"
#include "owner.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// A pool that someone else owns. Sizes are bytes.
class pool_ref : public detail::reference<gs_pool_t> {
public:
    using reference::reference;

    /// gs_pool_default(): the one of a device that allocations use unless they or their thread have another.
    static outcome<pool_ref> of_device(device on = device::current()) {
        gs_pool_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_pool_default, on.get(), &handle);
        return detail::value(status, pool_ref(handle));
    }
    /// gs_current_pool(): the one that this thread's allocations on a device use. Borrowed until make_current().
    static outcome<pool_ref> current(device on = device::current()) {
        gs_pool_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_current_pool, on.get(), &handle);
        return detail::value(status, pool_ref(handle));
    }
    /// gs_set_current_pool(): this thread's allocations on the pool's device use it from now on. of_device() ends that.
    outcome<void> make_current() const { return detail::done(gs_set_current_pool(get())); }
    /// gs_pool_get_stats(): what it has and has had.
    outcome<gs_pool_stats_t> stats() const {
        gs_pool_stats_t found{};
        found.struct_size = sizeof found;
        const gs_status_t status = gs_pool_get_stats(get(), &found);
        return detail::value(status, found);
    }
    /// gs_pool_reset_peak(): the peaks begin again at what it has now.
    outcome<void> reset_peak() const { return detail::done(gs_pool_reset_peak(get())); }
    /// gs_pool_trim(): what is freed goes back to the driver, but for so many bytes.
    outcome<void> trim(uint64_t keep_bytes = 0) const { return detail::done(gs_pool_trim(get(), keep_bytes)); }
    /// gs_pool_set_limit(): an allocation that would exceed it fails with status::out_of_memory; 0 is none.
    outcome<void> set_limit(uint64_t bytes) const { return detail::done(gs_pool_set_limit(get(), bytes)); }
    friend bool operator==(pool_ref left, pool_ref right) noexcept { return left.get() == right.get(); }
    friend bool operator!=(pool_ref left, pool_ref right) noexcept { return !(left == right); }
};

/// How a pool is made; gs_pool_options_t says more.
struct pool_options {
    pool_flags flags{};
    uint64_t limit_bytes = 0;
    uint64_t keep_bytes = 0;
};

/// Its memory outlives it: what was allocated from it stays valid until it is freed.
class pool : public detail::owner<pool_ref, gs_pool_t, gs_pool_destroy> {
public:
    using owner::owner;
    static outcome<pool> create(const pool_options &options = {}, device on = device::current()) {
        gs_pool_options_t wanted{};
        wanted.struct_size = sizeof wanted;
        wanted.flags = static_cast<uint32_t>(options.flags);
        wanted.limit_bytes = options.limit_bytes;
        wanted.keep_bytes = options.keep_bytes;
        gs_pool_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_pool_create, on.get(), &wanted, &handle);
        return detail::value(status, pool(handle));
    }
    /// Another reference to the same pool.
    static outcome<pool> retain(pool_ref other) {
        const gs_status_t status = detail::with_abi(gs_pool_retain, other.get());
        return detail::value(status, pool(status == GS_OK ? other.get() : nullptr));
    }
};

GPUSTREAM_END_NAMESPACE
