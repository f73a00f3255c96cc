// SPDX-License-Identifier: Apache-2.0
// Another library with a current stream of its own on each thread, which a program registers, leads and follows.
#include <algorithm>
#include <cstdio>

#include "fuzz/api/arguments.hpp"
#include "fuzz/api/driver_faults.hpp"
#include "fuzz/api/foreign.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

// It owns none of the streams that it is given, so it forgets one that has ended.
bool lives(const Program &program, uintptr_t native) {
    if (std::find(g_foreign.streams.begin(), g_foreign.streams.end(), native) != g_foreign.streams.end()) return true;
    for (const Program::Given &one : program.given)
        if (!one.event && one.native == native) return true;
    const WithoutFaults asking;
    for (const Object &object : program.model.objects()) {
        uintptr_t own = 0;
        if (object.kind == "stream" && (object.immortal || object.references > 0) &&
            gs_stream_native(reinterpret_cast<gs_stream_t>(object.handle), &own) == GS_OK && own == native) // NOLINT
            return true;
    }
    return false;
}

uintptr_t &current(Program::Library &library, int32_t ordinal) {
    uintptr_t &native = library.current[library.program->thread][ordinal == 1];
    if (!lives(*library.program, native)) native = g_foreign.streams.at(ordinal == 1);
    return native;
}

constexpr int32_t kRefusal = 7;

int32_t get(void *opaque, int32_t ordinal, uintptr_t *out_native) {
    *out_native = current(*static_cast<Program::Library *>(opaque), ordinal);
    return 0;
}

int32_t set(void *opaque, int32_t ordinal, uintptr_t native) {
    auto &library = *static_cast<Program::Library *>(opaque);
    if (library.refuse_every != 0 && ++library.calls % library.refuse_every == 0) return kRefusal;
    current(library, ordinal) = native;
    return 0;
}

int32_t set_device(void *opaque, int32_t) {
    auto &library = *static_cast<Program::Library *>(opaque);
    return library.refuse_every != 0 && ++library.calls % library.refuse_every == 0 ? kRefusal : 0;
}

void add(Arguments &a) {
    Program &program = a.program();
    const uint8_t how = a.byte();
    auto library = std::make_unique<Program::Library>();
    library->program = &program;
    library->refuse_every = how % 8 == 7 ? how / 8 % 4 + 1 : 0;
    std::snprintf(library->name, sizeof library->name, "fuzz %zu", program.libraries.size());
    gs_bridge_t bridge{};
    bridge.struct_size = how >= 0xC0 && how % 4 == 0 ? how % 64u : sizeof bridge;
    bridge.name = how >= 0xC0 && how % 4 == 1 ? (how & 8 ? nullptr : "fuzz 0") : library->name;
    bridge.backend = how >= 0xC0 && how % 4 == 2 ? how % 16 : GS_BACKEND_DEFAULT;
    bridge.get = get;
    bridge.set = how & 16 ? nullptr : set;
    bridge.set_device = how & 32 ? set_device : nullptr;
    bridge.arg = library.get();
    const bool full = program.bridges.size() == 8;
    int32_t *out = a.output<int32_t>("out_bridge");
    if (full) a.expect_any_status();
    a.returned(gs_bridge_register(how == 0xFF ? nullptr : &bridge, out));
    if (full) FUZZ_REQUIRE(a.status() != GS_OK, "a ninth bridge");
    if (a.status() != GS_OK) return;
    // A refusal, or a library that can only be followed, makes calls fail that would succeed.
    program.faulty = program.faulty || library->refuse_every != 0 || !bridge.set;
    program.bridges.push_back(*out);
    program.libraries.push_back(std::move(library));
}

int32_t draw_bridge(Arguments &a) {
    const auto &known = a.program().bridges;
    const uint8_t chosen = a.byte();
    return chosen < 0xC0 && !known.empty() ? known[chosen % known.size()] : static_cast<int32_t>(chosen) - 0xF0;
}

void remove(Arguments &a) {
    const int32_t bridge = draw_bridge(a);
    a.returned(gs_bridge_unregister(bridge));
    if (a.status() == GS_OK) std::erase(a.program().bridges, bridge);
}

void lead(Arguments &a) {
    const int32_t bridge = draw_bridge(a), on = a.byte() % 4;
    a.returned(gs_bridge_lead(bridge, on));
    FUZZ_REQUIRE(on < 2 || a.status() != GS_OK, "neither on nor off");
}

void follow(Arguments &a) {
    const int32_t bridge = draw_bridge(a);
    a.returned(gs_bridge_follow(bridge));
}

} // namespace

std::vector<SpecialCall> bridge_calls() {
    return {{"gs_bridge_register", add},
            {"gs_bridge_unregister", remove},
            {"gs_bridge_lead", lead},
            {"gs_bridge_follow", follow}};
}

} // namespace gs::fuzz
