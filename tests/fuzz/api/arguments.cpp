// SPDX-License-Identifier: Apache-2.0
// What a byte of a program means as an argument. assemble.py has the same tables.
#include "fuzz/api/arguments.hpp"

#include <algorithm>

#include "fuzz/api/driver_faults.hpp"
#include "fuzz/api/foreign.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

constexpr unsigned char kGarbage = 0x5A;
constexpr uint8_t kNull = 0xFF; // for what can be NULL
constexpr size_t kLongest = 256;

constexpr gs_device_t kDevices[] = {GS_DEVICE_CURRENT,
                                    GS_DEVICE_NONE,
                                    GS_DEVICE(GS_BACKEND_HOST, 0),
                                    GS_DEVICE(GS_BACKEND_HOST, 1),
                                    GS_DEVICE(GS_BACKEND_CUDA, 0),
                                    GS_DEVICE(GS_BACKEND_CUDA, 1),
                                    GS_DEVICE(GS_BACKEND_HIP, 0),
                                    2,
                                    64,
                                    -3,
                                    0xFFFF,
                                    GS_DEVICE(GS_BACKEND_HOST, 0xFFFF),
                                    GS_DEVICE(7, 0),
                                    std::numeric_limits<int32_t>::max(),
                                    std::numeric_limits<int32_t>::min()};

constexpr const char *kTexts[] = {
    "",         "0",       "add_one", "fill_index", "GPU-a,GPU-b", "0,1,0", "no such kernel",
    "\xff\xfe", "MIG-a/1", "GPU-",    ",",          "+1, -0",      "a\xc3", "fill_index_argument_sizes"};

unsigned char g_memory[kLongest];

} // namespace

uint8_t Arguments::byte() { return program_.input.byte(); }

uint64_t Arguments::draw_handle(const char *, const char *kind) {
    const uint8_t chosen = byte();
    const std::vector<uint64_t> known = program_.model.handles(kind);
    uint64_t handle = 0;
    if (chosen < 0xC0) {
        handle = known.empty() ? 0 : known[chosen % known.size()];
    } else if (chosen < 0xE0) { // one bit off
        handle = (known.empty() ? 0 : known.back()) ^ uint64_t { 1 } << (chosen % 32 * 2);
    } else if (chosen < 0xF0) {
        const char *other = std::strcmp(kind, "stream") == 0 ? "event" : "stream";
        const std::vector<uint64_t> others = program_.model.handles(other);
        handle = others.empty() ? 1 : others[chosen % others.size()];
    } else if (chosen != kNull) {
        const uint64_t kWords[] = {
            reinterpret_cast<uint64_t>(GS_STREAM_CURRENT), 1, 2, uint64_t{1} << 48, ~uint64_t{0}, 0x7000000000000002u};
        handle = kWords[chosen % 6];
    }
    uint64_t resolved = handle;
    if (handle == reinterpret_cast<uint64_t>(GS_STREAM_CURRENT)) {
        const WithoutFaults asking;
        gs_stream_t current = nullptr;
        if (gs_current_stream(GS_DEVICE_CURRENT, &current) == GS_OK) resolved = reinterpret_cast<uint64_t>(current);
    }
    handles_.push_back({kind, handle, resolved});
    return handle;
}

template <typename Handle>
const Handle *Arguments::handles(const char *name) {
    const uint8_t chosen = byte();
    if (chosen == kNull) return nullptr;
    auto list = std::make_unique<unsigned char[]>(kLongest * sizeof(Handle));
    has_list_ = true;
    list_begin_ = handles_.size();
    for (size_t i = 0; i < kLongest; ++i) {
        const Handle handle = i < chosen % 4u ? this->handle<Handle>(name) : nullptr;
        std::memcpy(list.get() + i * sizeof handle, &handle, sizeof handle);
    }
    structs_.push_back(std::move(list));
    return reinterpret_cast<const Handle *>(structs_.back().get());
}
template const gs_stream_t *Arguments::handles<gs_stream_t>(const char *);
template const gs_event_t *Arguments::handles<gs_event_t>(const char *);

// The call sees as many handles of the list as the count says, and NULL for those that were not drawn.
void Arguments::look_at(size_t count) {
    if (!has_list_) return;
    const size_t drawn = handles_.size() - list_begin_;
    if (count > drawn) handles_.push_back({"none", 0, 0});
    if (count < drawn) handles_.resize(list_begin_ + count);
}

gs_device_t Arguments::device() {
    const uint8_t chosen = byte();
    return chosen < 0x80 ? chosen % 2 : kDevices[(chosen - 0x80) % std::size(kDevices)];
}

int64_t Arguments::draw_number(const char *, int64_t least, uint64_t greatest) {
    const uint8_t chosen = byte();
    if (chosen < 0x80) return chosen % 16; // flags, modes, small numbers
    if (chosen < 0xC0) return chosen < 0xA0 || least >= 0 ? chosen - 0x70 : 0x9F - int64_t{chosen};
    switch (chosen % 8) {
    case 0: return static_cast<int64_t>(greatest);
    case 1: return least;
    case 2: return least + 1;
    case 3: return static_cast<int64_t>(greatest / 2 + 1);
    case 4: return 1 << 16;
    case 5: return 12345;
    case 6: return 4096;
    default: return 0xFFFF;
    }
}

// A stream that is busy for long enough that what should wait for it can be seen not to.
uint64_t Arguments::draw_amount(const char *name) {
    const uint8_t chosen = byte();
    return std::strcmp(name, "cycles") == 0 && chosen >= 0xC0 ? 200'000 : chosen;
}

const void *Arguments::draw_memory() { return byte() == kNull ? nullptr : g_memory; }

const char *Arguments::text(const char *) {
    const uint8_t chosen = byte();
    return chosen == kNull ? nullptr : kTexts[chosen % std::size(kTexts)];
}

Arguments::Callback Arguments::callback() { return {byte() == kNull}; }

// One that the program got, one of its bits changed, or zeros.
const void *Arguments::draw_struct(const char *, size_t bytes) {
    const uint8_t chosen = byte();
    if (chosen == kNull) return nullptr;
    auto place = std::make_unique<unsigned char[]>(bytes + (1 << 16)); // a size that is one bit off is believed
    more_than_handles_ = true;
    const auto copy = [&](const auto &known) {
        if (!known.empty()) std::memcpy(place.get(), &known[chosen % known.size()], bytes);
    };
    if (bytes == sizeof(gs_stream_triple_t) && chosen < 0xF0) copy(program_.triples);
    if (bytes == sizeof(gs_ipc_handle_t) && chosen < 0xF0) copy(program_.exported);
    if (chosen >= 0x80) place[chosen % bytes] ^= static_cast<unsigned char>(1u << chosen % 8);
    structs_.push_back(std::move(place));
    return structs_.back().get();
}

void *Arguments::draw_output(const char *name, size_t bytes, const char *kind) {
    if (byte() == kNull) {
        null_output_ = true;
        return nullptr;
    }
    outputs_.push_back({name, bytes, kind, false, false, 0, std::make_unique<unsigned char[]>(bytes)});
    std::memset(outputs_.back().place.get(), kGarbage, bytes);
    return outputs_.back().place.get();
}

void *Arguments::draw_struct_output(const char *name, size_t bytes, bool sized) {
    constexpr uint32_t kSizes[] = {0, 7, 8, 9, 0xFFFF, 0x10000, 0x10001, ~uint32_t{0}};
    const uint8_t chosen = byte();
    if (chosen == kNull) {
        null_output_ = true;
        return nullptr;
    }
    const auto usual = static_cast<uint32_t>(bytes);
    const uint32_t said = chosen < 0x80 ? usual : chosen < 0xC0 ? usual + chosen % 64 - 32 : kSizes[chosen % 8];
    // As much memory as the caller says; a size out of range is not believed.
    size_t room = sized ? (said >= 8 && said <= 0x10000 ? said : sizeof said) : bytes;
    auto place = std::make_unique<unsigned char[]>(room);
    std::memset(place.get(), kGarbage, room);
    if (sized) std::memcpy(place.get(), &said, sizeof said);
    outputs_.push_back({name, room, nullptr, true, sized, said, std::move(place)});
    return outputs_.back().place.get();
}

// Special words, what no stream can be, and raw streams or events that live as long as the process.
uintptr_t Arguments::native(bool of_event) {
    const uint8_t chosen = byte();
    more_than_handles_ = true;
    const std::vector<uintptr_t> &foreign = of_event ? g_foreign.events : g_foreign.streams;
    if (chosen >= 0x60 && chosen < 0x80)
        for (const Program::Given &one : program_.given)
            if (one.event == of_event) return one.native;
    if (chosen < 0x80 && !foreign.empty()) return foreign[chosen % foreign.size()];
    if (chosen >= 0xC0 && !of_event) { // the program's own
        for (const Object &object : program_.model.objects()) {
            uintptr_t own = 0;
            if (object.kind == "stream" && object.references > chosen % 2 &&
                gs_stream_native(reinterpret_cast<gs_stream_t>(object.handle), &own) == GS_OK) // NOLINT
                return own;
        }
    }
    constexpr uintptr_t kWords[] = {0, 1, 2, 3, 4095, 4097, uintptr_t{1} << 48, ~uintptr_t{0}};
    return kWords[chosen % std::size(kWords)];
}

} // namespace gs::fuzz
