// SPDX-License-Identifier: Apache-2.0
// Pools, memory of pools, and the random state.
#include "call.hpp"

using namespace layer;

LAYER(gs_pool_create, gs_device_t on, const gs_pool_options_t *options, gs_pool_t *out) {
    // A struct of another size is refused by C; the layer makes its own.
    if (options && options->struct_size != sizeof *options) return gs_pool_create(on, options, out);
    OR_C(out, gs_pool_create, on, options, out);
    pool_options wanted;
    if (options) wanted = {static_cast<pool_flags>(options->flags), options->limit_bytes, options->keep_bytes};
    return give(out, [&] { return pool::create(wanted, on); });
}
LAYER(gs_pool_default, gs_device_t on, gs_pool_t *out) {
    OR_C(out, gs_pool_default, on, out);
    return give(out, [&] { return pool_ref::of_device(on); });
}
LAYER(gs_current_pool, gs_device_t on, gs_pool_t *out) {
    OR_C(out, gs_current_pool, on, out);
    return give(out, [&] { return pool_ref::current(on); });
}
LAYER(gs_set_current_pool, gs_pool_t handle) {
    return status_of([&] { return pool_ref(handle).make_current(); });
}
LAYER(gs_pool_retain, gs_pool_t handle) {
    return status_of([&] { return pool::retain(pool_ref(handle)); },
                     [](pool &&owned) { static_cast<void>(owned.release()); });
}
LAYER(gs_pool_destroy, gs_pool_t handle) {
    return status_of([&] { return pool(handle).close(); });
}
LAYER(gs_pool_trim, gs_pool_t handle, uint64_t keep_bytes) {
    return status_of([&] { return pool_ref(handle).trim(keep_bytes); });
}
LAYER(gs_pool_reset_peak, gs_pool_t handle) {
    return status_of([&] { return pool_ref(handle).reset_peak(); });
}
LAYER(gs_pool_set_limit, gs_pool_t handle, uint64_t bytes) {
    return status_of([&] { return pool_ref(handle).set_limit(bytes); });
}
LAYER(gs_pool_get_stats, gs_pool_t handle, gs_pool_stats_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_pool_get_stats(handle, out);
    return give_struct(out, [&] { return pool_ref(handle).stats(); });
}

LAYER(gs_rng_get_state, gs_device_t on, uint64_t *out_seed, uint64_t *out_offset) {
    if (!out_seed || !out_offset) return gs_rng_get_state(on, out_seed, out_offset);
    return status_of([&] { return rng::get_state(on); },
                     [&](const rng::state &found) {
                         *out_seed = found.seed;
                         *out_offset = found.offset;
                     });
}
LAYER(gs_rng_set_state, gs_device_t on, uint64_t seed, uint64_t offset) {
    return status_of([&] { return offset ? rng::set_state({seed, offset}, on) : rng::seed(seed, on); });
}
LAYER(gs_rng_reserve, gs_stream_t stream, uint64_t count, gs_philox_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_rng_reserve(stream, count, out);
    return give_struct(out, [&] { return rng::reserve(stream_ref(stream), count); });
}
