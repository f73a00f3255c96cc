// SPDX-License-Identifier: Apache-2.0
// Bridges: another library's current stream is led and followed. The library is made up here: a stream per device and
// thread, and functions that fail when told to.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/conformance.hpp"
#include "support/foreign_stream.hpp"

namespace gs::test {
namespace {

class Library {
public:
    explicit Library(gs_backend_t backend, const char *name = "made up", bool with_set = true) {
        gs_bridge_t bridge{};
        bridge.struct_size = sizeof bridge;
        bridge.name = name;
        bridge.backend = backend;
        bridge.get = [](void *self, int32_t ordinal, uintptr_t *out) { return of(self).get(ordinal, out); };
        if (with_set) {
            bridge.set = [](void *self, int32_t ordinal, uintptr_t native) { return of(self).set(ordinal, native); };
            bridge.set_device = [](void *self, int32_t ordinal) { return of(self).set_device(ordinal); };
        }
        bridge.arg = this;
        EXPECT_OK(gs_bridge_register(&bridge, &id));
    }
    ~Library() { end(); }
    void end() {
        if (id != 0) EXPECT_OK(gs_bridge_unregister(id));
        id = 0;
    }

    // The calling thread's.
    uintptr_t stream(int32_t ordinal = 0) const { return mine().streams[ordinal]; }
    int32_t device() const { return mine().device; }
    void change(int32_t ordinal, uintptr_t native) { mine().streams[ordinal] = native; }

    int32_t id = 0;
    std::atomic<int> gets{0}, sets{0};
    std::atomic<int> fail_get{0}, fail_set{0}, fail_set_device{0}; // what they return
    std::function<void()> inside;                                  // run by get and set

private:
    struct State {
        const Library *owner = nullptr;
        uintptr_t streams[8] = {};
        int32_t device = 0;
    };
    State &mine() const {
        static thread_local State states[4];
        for (State &state : states) {
            if (state.owner == this) return state;
            if (state.owner) continue;
            state = {};
            state.owner = this;
            return state;
        }
        states[0] = {};
        states[0].owner = this;
        return states[0];
    }
    static Library &of(void *self) { return *static_cast<Library *>(self); }
    int32_t get(int32_t ordinal, uintptr_t *out) {
        ++gets;
        if (inside) inside();
        if (fail_get != 0) return fail_get;
        *out = mine().streams[ordinal];
        return 0;
    }
    int32_t set(int32_t ordinal, uintptr_t native) {
        ++sets;
        if (inside) inside();
        if (fail_set != 0) return fail_set;
        mine().streams[ordinal] = native;
        return 0;
    }
    int32_t set_device(int32_t ordinal) {
        if (fail_set_device != 0) return fail_set_device;
        mine().device = ordinal;
        return 0;
    }
};

class Bridges : public BackendTest {
protected:
    void TearDown() override {
        EXPECT_OK(gs_set_current_stream(default_stream(0)));
        BackendTest::TearDown();
    }
};

uint64_t push(gs_stream_t stream) {
    uint64_t scope = 0;
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    return scope;
}

} // namespace

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
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_find, "torch and tvm_ffi", "checked", &id);
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
    EXPECT_EQ(willing.stream(), 0u) << "told first, and told back";
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
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_maybe_exchange_device, "set_device returned 5", 1, &previous);
    uint64_t none = 0;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_push_current_stream, "set_device returned 5", b, &none);
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ(library.stream(1), 0u);
    EXPECT_EQ(current_stream(1), default_stream(1));
    library.fail_set_device = 0;
    ASSERT_OK(gs_maybe_exchange_device(1, &previous));
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

TEST_P(Bridges, FollowingAsksThem) {
    Library library(GetParam());
    ForeignStream foreign(GetParam(), 0);
    Stream own = make_stream(0), event_stream = make_stream(0);
    ASSERT_OK(gs_bridge_follow(library.id));
    EXPECT_EQ(current_stream(0), default_stream(0));
    library.change(0, native_of(own));
    EXPECT_EQ(current_stream(0), own.get());
    library.change(0, foreign.native());
    uintptr_t native = 0;
    ASSERT_OK(gs_current_native(0, &native));
    EXPECT_EQ(native, foreign.native());
    const gs_stream_t wrapped = current_stream(0);
    EXPECT_EQ(native_of(wrapped), foreign.native());
    {
        const StatsDelta stats;
        for (int i = 0; i < 3; ++i) EXPECT_EQ(current_stream(0), wrapped) << "kept until another is seen";
        EXPECT_EQ(stats.driver_calls(), 0u);
    }
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(wrapped));
    ASSERT_OK(gs_event_record(event, GS_STREAM_CURRENT));
    EXPECT_FALSE(done(event.get())) << "recorded on theirs";
    gate.open();
    EXPECT_OK(gs_event_synchronize(event));
    library.change(0, 2);
    EXPECT_EQ(current_stream(0), per_thread_stream(0));
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_stream_query(wrapped, &number)) << "its wrap was let go";
    library.change(0, 1);
    EXPECT_EQ(current_stream(0), default_stream(0));
    ASSERT_OK(gs_set_current_stream(own));
    EXPECT_EQ(library.stream(), native_of(own)) << "setting ours writes theirs";
    library.change(0, foreign.native());
    gs_stream_t previous = nullptr;
    ASSERT_OK(gs_exchange_current_stream(own, &previous));
    EXPECT_EQ(native_of(previous), foreign.native());
    EXPECT_OK(gs_stream_destroy(previous));
    ASSERT_OK(gs_bridge_follow(0));
    library.change(0, 0);
    EXPECT_EQ(current_stream(0), own.get());
}

TEST_P(Bridges, FollowingHasLimits) {
    Library one(GetParam(), "one"), two(GetParam(), "two"), mute(GetParam(), "mute", false);
    Stream own = make_stream(0);
    ASSERT_OK(gs_bridge_follow(one.id));
    EXPECT_OK(gs_bridge_follow(one.id));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_bridge_follow, "'one' is followed", two.id);
    one.fail_get = 3;
    gs_stream_t stream = own;
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_current_stream, "'one'", 0, &stream);
    EXPECT_EQ(stream, nullptr);
    Event event = make_event();
    EXPECT_FAILS(GS_ERROR_DRIVER, gs_event_record, "'one'", event, GS_STREAM_CURRENT);
    one.fail_get = 0;
    one.change(0, 3);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_current_stream(0, &stream)) << "never a stream";
    one.end();
    EXPECT_EQ(current_stream(0), default_stream(0)) << "unregistering ends following";
    ASSERT_OK(gs_bridge_follow(mute.id));
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_set_current_stream, "'mute'", own);
    EXPECT_EQ(current_stream(0), default_stream(0));
    ASSERT_OK(gs_bridge_follow(0));
}

TEST_P(Bridges, CallbacksMayNotTouchTheCurrentStream) {
    Library library(GetParam());
    Stream a = make_stream(0);
    ASSERT_OK(gs_bridge_follow(library.id));
    int runs = 0;
    library.inside = [&] {
        ++runs;
        gs_stream_t stream = nullptr;
        gs_device_t device = 0;
        uintptr_t native = 0;
        uint64_t scope = 0;
        void *pointer = nullptr;
        int32_t id = 0;
        EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_current_stream, "made up", 0, &stream);
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_current_native(0, &native));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_set_current_stream(a));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_exchange_current_stream(a, &stream));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_push_current_stream(a, &scope));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_pop_current_stream(0));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_unwind_current_stream(1));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_current_device(&device));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_set_current_device(0));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_exchange_device(0, &device));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_sleep(GS_STREAM_CURRENT, 1));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_bridge_unregister(library.id));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_bridge_lead(library.id, 1));
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_bridge_follow(0));
        if (GetParam() == GS_BACKEND_CUDA) EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &pointer), -1);
        EXPECT_OK(gs_bridge_find("made up", &id));
        Stream made = make_stream(0); // other calls work
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, made));
    };
    EXPECT_EQ(current_stream(0), default_stream(0));
    EXPECT_EQ(runs, 1);
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(runs, 3) << "get and set";
    library.inside = nullptr;
}

TEST_P(Bridges, UnregisteringWaitsForThreadsInside) {
    Library library(GetParam());
    Stream a = make_stream(0);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    std::atomic<bool> entered{false}, leave{false}, left{false}, ended{false};
    library.inside = [&] {
        entered = true;
        while (!leave) std::this_thread::yield();
        left = true;
    };
    std::thread user([&] { EXPECT_OK(gs_set_current_stream(a)); });
    while (!entered) std::this_thread::yield();
    std::thread owner([&] {
        EXPECT_OK(gs_bridge_unregister(library.id));
        EXPECT_TRUE(left) << "returned while a thread was inside";
        ended = true;
    });
    int32_t id = 0;
    while (gs_bridge_find("made up", &id) == GS_OK) std::this_thread::yield(); // it has begun
    EXPECT_FALSE(ended);
    const int gets = library.gets, sets = library.sets;
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(library.gets + library.sets, gets + sets) << "withdrawn: no thread enters any more";
    leave = true;
    user.join();
    owner.join();
    library.id = 0;
}

TEST_P(Bridges, ABridgeConcernsItsBackendOnly) {
    Library library(GetParam() == GS_BACKEND_HOST ? GS_BACKEND_CUDA : GS_BACKEND_HOST);
    Stream a = make_stream(0);
    ASSERT_OK(gs_bridge_lead(library.id, 1));
    ASSERT_OK(gs_bridge_follow(library.id));
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(current_stream(0), a.get());
    EXPECT_EQ(library.gets + library.sets, 0);
}

TEST_P(Bridges, DlpackGetsTheWorkStream) {
    void *stream = &stream;
    EXPECT_EQ(gs_dlpack_current_work_stream(1, 0, &stream), 0);
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, nullptr), -1);
    EXPECT_EQ(last_error().status, GS_ERROR_INVALID_ARGUMENT);
    for (const auto &[type, id] : {std::pair{10, 0}, {3, 0}, {2, -1}, {2, 64}}) {
        stream = &stream;
        EXPECT_EQ(gs_dlpack_current_work_stream(type, id, &stream), -1) << type << ", " << id;
        EXPECT_EQ(last_error().status, GS_ERROR_INVALID_DEVICE);
        EXPECT_EQ(stream, nullptr);
    }
    std::thread([] {
        void *unused = &unused;
        EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &unused), 0) << "a thread that never used the library";
        EXPECT_EQ(unused, nullptr);
    }).join();
    if (GetParam() != GS_BACKEND_CUDA) return;
    Stream a = make_stream(0);
    ASSERT_OK(gs_set_current_stream(a));
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &stream), 0);
    EXPECT_EQ(stream, reinterpret_cast<void *>(native_of(a)));
    EXPECT_EQ(gs_dlpack_current_work_stream(2, device_count(), &stream), -1);
    Library library(GetParam());
    library.change(0, 4096);
    ASSERT_OK(gs_bridge_follow(library.id));
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &stream), 0);
    EXPECT_EQ(stream, reinterpret_cast<void *>(4096)) << "theirs, not wrapped";
    library.fail_get = 1;
    EXPECT_EQ(gs_dlpack_current_work_stream(2, 0, &stream), -1);
    EXPECT_EQ(last_error().status, GS_ERROR_DRIVER);
}

GS_INSTANTIATE_BACKENDS(Bridges);

} // namespace gs::test
