// SPDX-License-Identifier: Apache-2.0
// Stream memory operations.
#include "backend/host/host_backend.hpp"

namespace gs::host {
namespace {

uint8_t width(uint32_t flags) noexcept { return (flags & GS_VALUE_32) != 0 ? 4 : 8; }

constexpr WordTest kTests[] = {WordTest::Geq, WordTest::Eq, WordTest::And, WordTest::Nor}; // by GS_VALUE_*
constexpr uint32_t kTestMask = 3;
static_assert(GS_VALUE_GEQ == 0 && GS_VALUE_EQ == 1 && GS_VALUE_AND == 2 && GS_VALUE_NOR == 3);

} // namespace

// This backend makes all earlier stores visible before a write: GS_VALUE_NO_BARRIER changes nothing.
Status HostBackend::write_value(ThreadBlock &thread, StreamRef reference, void *address, uint64_t value,
                                uint32_t flags) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    return answer(running().write_value(*stream, {address, value, width(flags)}), *stream->device, "write_value");
}

Status HostBackend::wait_value(ThreadBlock &thread, StreamRef reference, void *address, uint64_t value,
                               uint32_t flags) noexcept {
    thread.counters.driver_calls.add();
    Stream *stream = nullptr;
    GS_TRY(resolve(thread, reference, &stream));
    const WordWait wait{address, value, kTests[flags & kTestMask], width(flags)};
    return answer(running().wait_value(*stream, wait), *stream->device, "wait_value");
}

Status HostBackend::batch_values(ThreadBlock &thread, StreamRef stream, const gs_value_op_t *ops,
                                 size_t count) noexcept {
    for (size_t i = 0; i < count; ++i) {
        const gs_value_op_t &op = ops[i];
        GS_TRY((op.flags & GS_VALUE_WRITE) != 0 ? write_value(thread, stream, op.address, op.value, op.flags)
                                                : wait_value(thread, stream, op.address, op.value, op.flags));
    }
    return kOk;
}

void HostBackend::value_written(const void *address) noexcept { running().value_written(address); }

Status HostBackend::register_words(int32_t ordinal, void *memory, size_t, void **out_address) noexcept {
    count_operation();
    GS_TRY(health(ordinal));
    *out_address = memory;
    return kOk;
}

} // namespace gs::host
