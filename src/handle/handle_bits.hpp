// SPDX-License-Identifier: Apache-2.0
// A handle is a 64-bit number: 0 | kind:4 | backend:3 | generation:32 | index:24.
// User-space pointers have kind 0 (they are below 2^47). The sign bit is 0, for Java and int64_t.
#pragma once

#include <cstdint>

namespace gs {

enum class Kind : uint64_t {
    Graph = 1,
    Stream = 2,
    GraphExec = 3,
    Event = 4,
    Queue = 5,
    Module = 6,
    Timeline = 7,
    Kernel = 8,
    Pool = 9,
    Partition = 10,
    HostCall = 12, // internal, never given out: what the driver gets in place of a pointer
    Reserved = 14,
};

inline constexpr int kIndexBits = 24;
inline constexpr int kGenerationBits = 32;
inline constexpr int kBackendBits = 3;
inline constexpr int kGenerationShift = kIndexBits;
inline constexpr int kBackendShift = kGenerationShift + kGenerationBits;
inline constexpr int kKindShift = kBackendShift + kBackendBits;
inline constexpr uint32_t kMaxIndex = (1u << kIndexBits) - 1;
static_assert(kKindShift + 4 == 63);

constexpr uint64_t make_handle(Kind kind, uint32_t backend, uint32_t generation, uint32_t index) noexcept {
    return static_cast<uint64_t>(kind) << kKindShift | static_cast<uint64_t>(backend) << kBackendShift |
           static_cast<uint64_t>(generation) << kGenerationShift | index;
}

constexpr uint32_t handle_index(uint64_t handle) noexcept { return static_cast<uint32_t>(handle) & kMaxIndex; }
constexpr uint32_t handle_generation(uint64_t handle) noexcept {
    return static_cast<uint32_t>(handle >> kGenerationShift);
}
constexpr uint32_t handle_backend(uint64_t handle) noexcept {
    return static_cast<uint32_t>(handle >> kBackendShift) & 0x7;
}
constexpr Kind handle_kind(uint64_t handle) noexcept { return static_cast<Kind>(handle >> kKindShift & 0xF); }

// The public handle types are pointers whose value is this number. They are never dereferenced.
static_assert(sizeof(void *) == sizeof(uint64_t), "handles are 64-bit numbers in pointer types");
template <typename Handle>
uint64_t handle_bits(Handle handle) noexcept {
    return reinterpret_cast<uint64_t>(handle);
}
template <typename Handle>
Handle to_handle(uint64_t bits) noexcept {
    return reinterpret_cast<Handle>(bits);
}

inline constexpr uint64_t kCurrentStreamBits = make_handle(Kind::Reserved, 0, 0, 1); // GS_STREAM_CURRENT
static_assert(kCurrentStreamBits == 0x7000000000000001u);
static_assert(make_handle(Kind::Graph, 0, 0, 0) >= uint64_t{1} << 48);

} // namespace gs
