// SPDX-License-Identifier: Apache-2.0
// A slot whose last generation is in use is dropped when its object ends. Callers do not notice it, and what the driver
// made for it is returned.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <utility>

#include "backend/registry.hpp"
#include "core/slots.hpp"
#include "core/thread/current_stream.hpp"
#include "fault/fake_driver.hpp"
#include "support/objects.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr int kGenerations = 20;

// As if the slot had served 2^32 - 1 objects. The live handle keeps its own generation, so it stays valid.
template <typename Map, typename Handle>
uint32_t use_up(Map &map, Handle handle) {
    auto *slot = map.at(handle_index(handle_bits(handle)));
    EXPECT_NE(slot, nullptr);
    if (slot) slot->generation = UINT32_MAX;
    return handle_index(handle_bits(handle));
}

// `round` makes an object, uses its slot up, destroys the object and returns the index of the slot.
void expect_drops(const char *what, const std::function<uint32_t()> &round) {
    SCOPED_TRACE(what);
    std::set<uint32_t> indices;
    indices.insert(round());
    EXPECT_OK(gs_trim());
    size_t live[FAKE_CUDA_KINDS] = {};
    for (int kind = 0; kind < FAKE_CUDA_KINDS; ++kind) live[kind] = fake().live(kind);
    for (int i = 0; i < kGenerations; ++i) indices.insert(round());
    EXPECT_EQ(indices.size(), kGenerations + 1u) << "no slot served again";
    EXPECT_OK(gs_trim());
    for (int kind = 0; kind < FAKE_CUDA_KINDS; ++kind) EXPECT_LE(fake().live(kind), live[kind]) << kind;
    EXPECT_EQ(fake().violation_text(), "");
}

uint32_t spend(Event event) { return use_up(event_slots(), event.get()); }
uint32_t spend(Stream stream) { return use_up(stream_slots(), stream.get()); }

TEST(LastGeneration, Events) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    expect_drops("never recorded", [] { return spend(make_event()); });
    expect_drops("recorded", [&] {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, stream));
        EXPECT_OK(gs_event_synchronize(event));
        return spend(std::move(event));
    });
    expect_drops("exported", [&] {
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, stream));
        uintptr_t native = 0;
        EXPECT_OK(gs_event_native(event, &native));
        return spend(std::move(event));
    });
    uintptr_t native = 0; // known to the driver only
    ASSERT_TRUE(backend_instance(GS_BACKEND_CUDA)->event_create(0, 0, &native).ok());
    expect_drops("wrapped", [&] {
        gs_event_t event = nullptr;
        EXPECT_OK(gs_event_from_native(0, native, &event));
        return spend(Event(event));
    });
    EXPECT_TRUE(backend_instance(GS_BACKEND_CUDA)->event_destroy(0, native).ok());
}

TEST(LastGeneration, Streams) {
    OWN_PROCESS();
    expect_drops("never used", [] { return spend(make_stream(0)); });
    expect_drops("used", [] {
        Stream stream = make_stream(0);
        EXPECT_OK(gs_stream_sleep(stream, 0));
        EXPECT_OK(gs_stream_synchronize(stream));
        return spend(std::move(stream));
    });
    expect_drops("dedicated", [] { return spend(make_stream(0, GS_STREAM_DEDICATED)); });
    for (int i = 0; i < 32; ++i) make_stream(0, GS_STREAM_SHARED).reset(); // fills their pool
    expect_drops("shared", [] { return spend(make_stream(0, GS_STREAM_SHARED)); });
}

TEST(LastGeneration, ModulesAndKernels) {
    OWN_PROCESS();
    const char ptx[] =
        ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry scratch(.param .u64 p) { ret; }\n";
    const auto load = [&](gs_kernel_t *out_kernel) {
        gs_module_t module = nullptr;
        EXPECT_OK(gs_module_load(0, ptx, sizeof ptx, &module));
        EXPECT_OK(gs_module_get_kernel(module, "scratch", out_kernel));
        return Module(module);
    };
    gs_kernel_t kernel = nullptr;
    expect_drops("modules", [&] { return use_up(module_slots(), load(&kernel).get()); });
    expect_drops("kernels", [&] {
        const Module module = load(&kernel);
        return use_up(kernel_slots(), kernel);
    });
}

// 2^32 scopes of one thread take 91 seconds; this one begins shortly before the end of its first block of tokens.
TEST(LastGeneration, ScopesKeepTheirTokensApart) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    uint64_t first = 0, outer = 0;
    ASSERT_OK(gs_push_current_stream(stream, &first));
    ASSERT_OK(gs_pop_current_stream(first));
    CoreThread *core = core_thread(*this_thread());
    ASSERT_NE(core, nullptr);
    ASSERT_EQ(core->last_token, first);
    core->last_token = first + UINT32_MAX - 4;
    ASSERT_OK(gs_push_current_stream(stream, &outer));
    std::set<uint64_t> tokens{0, first, outer};
    for (size_t i = 0; i < 10; ++i) {
        uint64_t token = 0;
        ASSERT_OK(gs_push_current_stream(stream, &token));
        EXPECT_TRUE(tokens.insert(token).second) << token;
        EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(first));
        ASSERT_OK(gs_pop_current_stream(token));
    }
    ASSERT_OK(gs_pop_current_stream(outer));
}

} // namespace
} // namespace gs::test
