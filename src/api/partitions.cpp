// SPDX-License-Identifier: Apache-2.0
// Partitions of devices, and streams in them.
#include <algorithm>
#include <vector>

#include "api/with.hpp"
#include "backend/backend_parts.hpp"
#include "base/sized_struct.hpp"
#include "core/stream/stream_calls.hpp"

using namespace gs::api;

namespace {

constexpr size_t kMostPartitions = 1024;
constexpr uint32_t kPartitionFlags = GS_PARTITION_EXACT | GS_PARTITION_FINE | GS_PARTITION_PLAN | GS_PARTITION_QUEUES |
                                     0xff * GS_PARTITION_COSCHEDULED | 0x7fff * GS_PARTITION_CONCURRENCY;

Status check_request(const uint32_t *counts, size_t count, uint32_t flags) noexcept {
    if (count == 0 || count > kMostPartitions)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%zu partitions: 1 to %zu can be created at once", count,
                    kMostPartitions);
    GS_TRY(check_flags("partition flags", flags, kPartitionFlags,
                       "GS_PARTITION_EXACT 1, FINE 2, PLAN 4, QUEUES 8, COSCHEDULED 256 "
                       "times 1 to 255 and CONCURRENCY 65536 times 1 to 32767"));
    if ((flags & GS_PARTITION_FINE) != 0 && coscheduled_of(flags) != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "GS_PARTITION_FINE and GS_PARTITION_COSCHEDULED: multiprocessors lie apart or together");
    if (const uint32_t *zero = std::find(counts, counts + count, 0u); zero != counts + count)
        return fail(GS_ERROR_INVALID_ARGUMENT, "counts[%td] is 0: a partition has at least one multiprocessor",
                    zero - counts);
    return kOk;
}

} // namespace

extern "C" {

gs_status_t gs_partition_create(gs_device_t device, const uint32_t *counts, size_t count, uint32_t flags,
                                gs_partition_t *out_partitions) {
    if (out_partitions && count <= kMostPartitions) std::fill_n(out_partitions, count, nullptr);
    return boundary<Rule::Device>(Call(__func__, device), [&](ThreadBlock &thread) -> Status {
        GS_INPUT(out_partitions);
        GS_INPUT(counts);
        GS_TRY(check_request(counts, count, flags));
        Device *target = nullptr;
        GS_TRY(find_device(thread, device, &target));
        std::vector<PartitionNative> made(count); // bad_alloc becomes OUT_OF_MEMORY in boundary()
        std::vector<PartitionSlot *> slots(count);
        std::vector<uint64_t> handles(count);
        GS_TRY(create_partitions(*target, counts, count, flags, made.data(), slots.data(), handles.data()));
        for (size_t i = 0; i < count; ++i) out_partitions[i] = to_handle<gs_partition_t>(handles[i]);
        return kOk;
    });
}

gs_status_t gs_partition_destroy(gs_partition_t partition) {
    if (in_bad_fork()) return GS_OK;
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &) { return end_partition(handle_bits(partition)); });
}

gs_status_t gs_partition_info(gs_partition_t partition, gs_partition_summary_t *out_info) {
    return boundary<Rule::Getter>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_info);
        gs_partition_summary_t known{};
        GS_TRY(partition_summary(handle_bits(partition), &known));
        return write_sized(out_info, known);
    });
}

gs_status_t gs_stream_create_in(gs_partition_t partition, int32_t priority, uint32_t flags, gs_stream_t *out_stream) {
    return make_object<Rule::Slow>(__func__, GS_OUT(out_stream), [&](ThreadBlock &thread, uint64_t *handle) -> Status {
        if (flags & ~static_cast<uint32_t>(GS_STREAM_DEDICATED))
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "flags %#x of a stream in a partition are unknown, or impossible there: it is neither blocking "
                        "nor shared",
                        flags & ~static_cast<uint32_t>(GS_STREAM_DEDICATED));
        return create_stream_in(thread, handle_bits(partition), priority, flags, handle);
    });
}

} // extern "C"
