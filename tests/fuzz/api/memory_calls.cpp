// SPDX-License-Identifier: Apache-2.0
// Memory is used only where a program may use it: in the stream that allocated it, and not after it was freed.
#include <algorithm>
#include <cstdint>

#include "fuzz/api/arguments.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

constexpr size_t kMostBytes = 512;
unsigned char g_source[kMostBytes], g_target[kMostBytes]; // pageable, for every stream: what they hold does not matter

size_t draw_bytes(Arguments &a) {
    constexpr size_t kOdd[] = {0, size_t{PTRDIFF_MAX} + 1, SIZE_MAX, SIZE_MAX - 255};
    const uint8_t chosen = a.byte();
    return chosen < 0xF0 ? chosen * 2u + 1 : kOdd[chosen % std::size(kOdd)];
}

bool in_range(size_t bytes) { return bytes <= size_t{PTRDIFF_MAX}; }

void keep(Arguments &a, void *pointer, size_t bytes, bool of_stream) {
    if (a.status() != GS_OK) return;
    if (bytes == 0) {
        FUZZ_REQUIRE(pointer == nullptr, "the address of 0 bytes");
        return;
    }
    Program::Memory memory{pointer, bytes, {}, 0, false};
    if (of_stream) {
        memory.stream = a.stream_name(0);
        FUZZ_REQUIRE(gs_stream_device(reinterpret_cast<gs_stream_t>(memory.stream.first), &memory.device) == GS_OK,
                     ""); // NOLINT
    }
    FUZZ_REQUIRE(pointer && reinterpret_cast<uintptr_t>(pointer) % (of_stream ? 256 : 64) == 0, "its alignment");
    a.program().memory.push_back(memory);
}

void malloc_async(Arguments &a) {
    const size_t bytes = draw_bytes(a);
    const auto stream = a.handle<gs_stream_t>("stream");
    void **out = a.output<void *>("out_pointer");
    a.returned(gs_malloc_async(bytes, stream, out));
    if (a.status() == GS_OK) FUZZ_REQUIRE(in_range(bytes), "gs_malloc_async");
    keep(a, out ? *out : nullptr, bytes, true);
}

void malloc_host(Arguments &a) {
    const size_t bytes = draw_bytes(a);
    void **out = a.output<void *>("out_pointer");
    a.returned(gs_malloc_host(bytes, out));
    if (a.status() == GS_OK) FUZZ_REQUIRE(in_range(bytes), "gs_malloc_host");
    keep(a, out ? *out : nullptr, bytes, false);
}

void free_async(Arguments &a) {
    const uint8_t chosen = a.byte();
    const auto stream = a.handle<gs_stream_t>("stream");
    auto &memory = a.program().memory;
    const Order::Name name = a.stream_name(0);
    auto found = memory.end();
    for (auto one = memory.begin(); one != memory.end() && chosen < 0xC0; ++one)
        if (one->stream == name && name.first != 0) found = one;
    a.returned(gs_free_async(found == memory.end() ? nullptr : found->pointer, stream));
    // If the driver failed, it may be freed or not.
    if (found != memory.end() && (a.status() == GS_OK || a.status() == GS_ERROR_DRIVER)) memory.erase(found);
}

// Pinned memory that work may still use is freed at the program's end. What is no such memory is known.
void free_host(Arguments &a) {
    const uint8_t chosen = a.byte();
    auto &memory = a.program().memory;
    const auto unused = [](const Program::Memory &one) { return one.stream.first == 0 && !one.used; };
    const auto found = std::find_if(memory.begin(), memory.end(), unused);
    if (chosen < 0x80 && found != memory.end()) {
        void *pointer = found->pointer;
        memory.erase(found);
        a.returned(gs_free_host(pointer));
        FUZZ_REQUIRE(a.status() == GS_OK || a.program().faulty, "gs_free_host"); // freed in any case
        return;
    }
    void *wrong = chosen % 2 == 0 ? nullptr : static_cast<void *>(g_target);
    a.returned(gs_free_host(wrong));
    FUZZ_REQUIRE(a.program().faulty || a.status() == (wrong ? GS_ERROR_INVALID_ARGUMENT : GS_OK),
                 "gs_free_host of another's memory");
}

// Memory that work of this stream may use, and how much there is of it.
unsigned char *draw_range(Arguments &a, unsigned char *usual, size_t *out_bytes) {
    const uint8_t chosen = a.byte();
    *out_bytes = kMostBytes;
    if (chosen == 0xFF) return nullptr;
    const Order::Name name = a.stream_name(0);
    for (Program::Memory &one : a.program().memory) {
        const bool pinned = one.stream.first == 0;
        if (chosen < 0x40 || (pinned ? chosen >= 0xA0 : chosen < 0xA0 || one.stream != name)) continue;
        one.used = true;
        *out_bytes = one.bytes;
        return static_cast<unsigned char *>(one.pointer);
    }
    return usual;
}

// A length that fits, or one above all memory: the library cannot see that a length in between is wrong.
size_t draw_length(Arguments &a, size_t most) {
    const uint8_t chosen = a.byte();
    if (chosen >= 0xF0) return chosen % 2 == 0 ? SIZE_MAX : size_t{PTRDIFF_MAX} + 1;
    return chosen % (most + 1);
}

void check_range(const Arguments &a, bool null, size_t bytes) {
    const bool wrong = bytes > size_t{PTRDIFF_MAX} || (null && bytes > 0);
    if (wrong) FUZZ_REQUIRE(a.status() != GS_OK, "a range that cannot be");
}

void copy(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    size_t room = 0, there = 0;
    unsigned char *to = draw_range(a, g_target, &room), *from = draw_range(a, g_source, &there);
    if (to == from) from = g_source; // they must not overlap
    if (from == g_source) there = kMostBytes;
    const size_t bytes = draw_length(a, std::min(room, there));
    a.returned(gs_memcpy_async(to, from, bytes, stream));
    check_range(a, !to || !from, bytes);
}

void copies(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    gs_copy_t all[3];
    const uint8_t chosen = a.byte();
    const size_t count = chosen % 4;
    bool wrong = false;
    for (gs_copy_t *one = all; one != all + count; ++one) {
        size_t room = 0, there = 0;
        unsigned char *to = draw_range(a, g_target, &room), *from = draw_range(a, g_source, &there);
        if (to == from) from = g_source; // they must not overlap
        if (from == g_source) there = kMostBytes;
        *one = {to, from, draw_length(a, std::min(room, there))};
        wrong = wrong || one->bytes > size_t{PTRDIFF_MAX} || ((!to || !from) && one->bytes > 0);
    }
    const auto order = a.number<int32_t>("order");
    const bool null = chosen >= 0xF0;
    a.returned(gs_memcpy_batch_async(null ? nullptr : all, count, order, stream));
    wrong = wrong || (null && count > 0) || order < GS_ACCESS_ORDER_STREAM || order > GS_ACCESS_ORDER_ANY;
    if (wrong) FUZZ_REQUIRE(a.status() != GS_OK, "copies that cannot be");
}

void fill(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    size_t room = 0;
    unsigned char *to = draw_range(a, nullptr, &room);
    const auto value = a.number<int32_t>("value");
    const size_t bytes = to ? draw_length(a, room) : a.byte() % 2;
    a.returned(gs_memset_async(to, value, bytes, stream));
    check_range(a, !to, bytes);
    if (value < 0 || value > 255) FUZZ_REQUIRE(a.status() != GS_OK, "a value that is no byte");
}

} // namespace

std::vector<SpecialCall> memory_calls() {
    return {{"gs_malloc_async", malloc_async}, {"gs_free_async", free_async}, {"gs_malloc_host", malloc_host},
            {"gs_free_host", free_host},       {"gs_memcpy_async", copy},     {"gs_memset_async", fill},
            {"gs_memcpy_batch_async", copies}};
}

} // namespace gs::fuzz
