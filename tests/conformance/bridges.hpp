// SPDX-License-Identifier: Apache-2.0
// Another library with a current stream of its own, made up here: a stream per device and thread, and functions that fail
// on request.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "conformance/conformance.hpp"

namespace gs::test {

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
    const uint64_t number_ = next_number();
    struct State {
        uint64_t owner = 0;
        uintptr_t streams[8] = {};
        int32_t device = 0;
    };
    // By number, not by address: one library after another may lie at the same place.
    State &mine() const {
        static thread_local State states[8];
        State &state = states[number_ % 8];
        if (state.owner != number_) state = {};
        state.owner = number_;
        return state;
    }
    static uint64_t next_number() {
        static std::atomic<uint64_t> last{0};
        return ++last;
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

inline uint64_t push(gs_stream_t stream) {
    uint64_t scope = 0;
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    return scope;
}

} // namespace gs::test
