// SPDX-License-Identifier: Apache-2.0
// Random state.
#include "api/with.hpp"
#include "base/sized_struct.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/stream/captured.hpp"

using namespace gs::api;

namespace {

constexpr uint64_t kMostNumbers = uint64_t{1} << 62;

} // namespace

extern "C" {

gs_status_t gs_rng_get_state(gs_device_t device, uint64_t *out_seed, uint64_t *out_offset) {
    zero(out_seed);
    zero(out_offset);
    return boundary<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_seed);
        GS_INPUT(out_offset);
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        const RandomState state = random_state(*target);
        *out_seed = state.seed;
        *out_offset = state.offset;
        return kOk;
    });
}

gs_status_t gs_rng_set_state(gs_device_t device, uint64_t seed, uint64_t offset) {
    return boundary<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        if (offset % kRandomBlock != 0)
            return fail(GS_ERROR_INVALID_ARGUMENT, "offset %llu is not a multiple of 4",
                        static_cast<unsigned long long>(offset));
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        set_random_state(*target, {seed, offset});
        return kOk;
    });
}

gs_status_t gs_rng_reserve(gs_stream_t stream, uint64_t count, gs_philox_t *out_philox) {
    return on_stream(__func__, stream, [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
        GS_INPUT(out_philox);
        GS_TRY(check_struct_size(out_philox->struct_size));
        if (count > kMostNumbers)
            return fail(GS_ERROR_INVALID_ARGUMENT, "%llu numbers for each thread: there are at most 2^62",
                        static_cast<unsigned long long>(count));
        bool captured = false;
        GS_TRY(is_captured(thread, slot, &captured));
        if (captured) {
            gs_philox_t philox{};
            GS_TRY(reserve_captured(thread, slot, whole_blocks(count), &philox));
            return write_sized(out_philox, philox);
        }
        const RandomState begin = reserve_random(*slot.device, whole_blocks(count));
        return write_sized(out_philox, gs_philox_t{.struct_size = 0,
                                                   .captured = 0,
                                                   .seed = begin.seed,
                                                   .offset = begin.offset,
                                                   .seed_address = 0,
                                                   .offset_address = 0,
                                                   .offset_in_graph = 0});
    });
}

} // extern "C"
