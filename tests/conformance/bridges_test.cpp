// SPDX-License-Identifier: Apache-2.0
// Bridges: registration, and leading another library's current stream.
#include <memory>
#include <thread>
#include <vector>

#include "conformance/bridges.hpp"

namespace gs::test {

TEST_P(Bridges, RegistrationIsChecked) {
    gs_bridge_t bridge{};
    int32_t id = 7;
    const auto refused = [&](const char *text) {
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_register, text, &bridge, &id);
        EXPECT_EQ(id, 0);
    };
    refused("struct_size");
    bridge.struct_size = sizeof bridge;
    refused("name");
    bridge.name = "";
    refused("name");
    const std::string long_name(64, 'x');
    bridge.name = long_name.c_str();
    refused("63");
    bridge.name = "checked";
    refused("get");
    bridge.get = [](void *, int32_t, uintptr_t *) { return 0; };
    bridge.reserved = 1;
    refused("reserved");
    bridge.reserved = 0;
    bridge.backend = 99;
    refused("99");
    bridge.backend = GetParam();
    ASSERT_OK(gs_bridge_register(&bridge, &id));
    const int32_t first = id;
    EXPECT_GT(first, 0);
    refused("registered already");
    EXPECT_OK(gs_bridge_find("checked", &id));
    EXPECT_EQ(id, first);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_bridge_lead, "checked", first, 1);
    EXPECT_OK(gs_bridge_unregister(first));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_unregister(first));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_lead(first, 1));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_follow(first));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_find, "torch, tvm_ffi and executorch", "checked", &id);
    ASSERT_OK(gs_bridge_register(&bridge, &id));
    EXPECT_GT(id, first) << "numbers are never used again";
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_lead(id, 2));
    EXPECT_OK(gs_bridge_unregister(id));
}

TEST_P(Bridges, NoMoreThanEight) {
    std::vector<std::unique_ptr<Library>> all;
    const std::string names = "abcdefgh";
    for (const char name : names) all.push_back(std::make_unique<Library>(GetParam(), std::string(1, name).c_str()));
    gs_bridge_t bridge{};
    bridge.struct_size = sizeof bridge;
    bridge.name = "i";
    bridge.get = [](void *, int32_t, uintptr_t *) { return 0; };
    int32_t id = 0;
    EXPECT_FAILS(GS_ERROR_OUT_OF_MEMORY, gs_bridge_register, "8", &bridge, &id);
    all.pop_back();
    EXPECT_OK(gs_bridge_register(&bridge, &id));
    EXPECT_OK(gs_bridge_unregister(id));
}

TEST_P(Bridges, LeadingSetsTheirs) {
    Library library(GetParam());
    Stream a = make_stream(0), b = make_stream(0);
    ASSERT_OK(gs_set_current_stream(a));
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    EXPECT_EQ(library.stream(), 0u) << "turning it on writes nothing";
    ASSERT_OK(gs_set_current_stream(b));
    EXPECT_EQ(library.stream(), native_of(b));
    gs_stream_t previous = nullptr;
    ASSERT_OK(gs_exchange_current_stream(a, &previous));
    EXPECT_EQ(previous, b.get());
    EXPECT_OK(gs_stream_destroy(previous));
    EXPECT_EQ(library.stream(), native_of(a));
    const uint64_t outer = push(b);
    EXPECT_EQ(library.stream(), native_of(b));
    library.change(0, 0); // behind our back
    const uint64_t inner = push(a);
    EXPECT_EQ(library.stream(), native_of(a));
    EXPECT_OK(gs_pop_current_stream(inner));
    EXPECT_EQ(library.stream(), 0u) << "exactly what it had";
    EXPECT_EQ(current_stream(0), b.get());
    EXPECT_OK(gs_pop_current_stream(outer));
    EXPECT_EQ(library.stream(), native_of(a));
    ASSERT_OK(gs_bridge_lead(library.id, 0));
    ASSERT_OK(gs_set_current_stream(b));
    EXPECT_EQ(library.stream(), native_of(a)) << "not led any more";
}

TEST_P(Bridges, ScopesOutliveLeading) {
    Library library(GetParam());
    Stream a = make_stream(0), b = make_stream(0);
    const uint64_t before = push(a);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    const uint64_t led = push(b);
    ASSERT_OK(gs_bridge_lead(library.id, 0));
    const uint64_t after = push(a);
    EXPECT_EQ(library.stream(), native_of(b));
    EXPECT_OK(gs_pop_current_stream(after));
    EXPECT_EQ(library.stream(), native_of(b));
    EXPECT_OK(gs_pop_current_stream(led));
    EXPECT_EQ(library.stream(), 0u) << "a led scope restores theirs although leading has ended";
    EXPECT_OK(gs_pop_current_stream(before));
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    const uint64_t first = push(a);
    push(b);
    push(a);
    EXPECT_OK(gs_unwind_current_stream(first));
    EXPECT_EQ(library.stream(), 0u);
    EXPECT_EQ(current_stream(0), default_stream(0));
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_unwind_current_stream(first));
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(first));
    const uint64_t last = push(a);
    library.end();
    EXPECT_OK(gs_pop_current_stream(last)) << "nothing is left to restore";
}

TEST_P(Bridges, ARefusalUndoesOurs) {
    Library willing(GetParam(), "willing"), refuses(GetParam(), "refuses");
    Stream a = make_stream(0), b = make_stream(0);
    ASSERT_OK(gs_set_current_stream(a));
    ASSERT_OK(gs_bridge_lead(willing.id, 1));
    ASSERT_OK(gs_bridge_lead(refuses.id, 1));
    refuses.fail_set = 42;
    uint64_t scope = 1;
    gs_stream_t previous = a;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_set_current_stream, "'refuses'", b);
    EXPECT_EQ(last_error().native_code, 42);
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_exchange_current_stream, "'refuses'", b, &previous);
    EXPECT_EQ(previous, nullptr);
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_push_current_stream, "'refuses'", b, &scope);
    EXPECT_EQ(scope, 0u);
    EXPECT_EQ(current_stream(0), a.get());
    EXPECT_EQ(willing.stream(), 0u) << "set first, and set back";
    refuses.fail_set = 0;
    refuses.fail_get = 43;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_push_current_stream, "get returned 43", b, &scope);
    EXPECT_EQ(current_stream(0), a.get());
    refuses.fail_get = 0;
    scope = push(b);
    refuses.fail_set = 44;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_pop_current_stream, "set returned 44", scope);
    EXPECT_EQ(current_stream(0), a.get()) << "the end of a scope goes on";
    EXPECT_EQ(willing.stream(), 0u);
    EXPECT_STATUS(GS_ERROR_SCOPE, gs_pop_current_stream(scope));
    refuses.fail_set = 0;
}

TEST_P(Bridges, DevicesToo) {
    GS_NEEDS_DEVICES(2);
    Library library(GetParam());
    Stream a = make_stream(0), b = make_stream(1);
    ASSERT_OK(gs_set_current_stream(a));
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    const uint64_t scope = push(b);
    EXPECT_EQ(library.device(), 1);
    EXPECT_EQ(library.stream(1), native_of(b));
    EXPECT_EQ(library.stream(0), 0u);
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_EQ(library.device(), 0);
    EXPECT_EQ(library.stream(1), 0u);
    ASSERT_OK(gs_set_current_device(1));
    EXPECT_EQ(library.device(), 1);
    gs_device_t previous = GS_DEVICE_NONE;
    ASSERT_OK(gs_exchange_device(0, &previous));
    EXPECT_EQ(previous, 1);
    EXPECT_EQ(library.device(), 0);
    library.fail_set_device = 5;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_set_current_device, "set_device returned 5", 1);
    EXPECT_EQ(current_device(), 0);
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_exchange_device, "set_device returned 5", 1, &previous);
    uint64_t none = 0;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_push_current_stream, "set_device returned 5", b, &none);
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ(library.stream(1), 0u);
    EXPECT_EQ(current_stream(1), default_stream(1));
    library.fail_set_device = 0;
    ASSERT_OK(gs_exchange_device(1, &previous));
    EXPECT_EQ(library.device(), 1);
    ASSERT_OK(gs_set_current_device(0));
}

TEST_P(Bridges, EveryThreadIsLed) {
    Library library(GetParam());
    Stream a = make_stream(0);
    std::atomic<int> turn{0};
    std::thread early([&] {
        EXPECT_OK(gs_set_current_stream(a));
        EXPECT_EQ(library.stream(), 0u);
        turn = 1;
        while (turn != 2) std::this_thread::yield();
        const uint64_t scope = push(a);
        EXPECT_EQ(library.stream(), native_of(a)) << "a thread that existed before";
        EXPECT_OK(gs_pop_current_stream(scope));
    });
    while (turn != 1) std::this_thread::yield();
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    turn = 2;
    early.join();
    std::thread([&] {
        EXPECT_OK(gs_set_current_stream(a));
        EXPECT_EQ(library.stream(), native_of(a)) << "a thread that started later";
        push(a); // left open: its end restores nothing
    }).join();
    EXPECT_EQ(library.stream(), 0u) << "this thread changed nothing";
}

GS_INSTANTIATE_BACKENDS(Bridges);

} // namespace gs::test
