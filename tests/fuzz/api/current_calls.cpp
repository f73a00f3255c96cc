// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fuzz/api/arguments.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

void made_current(const char *name, Arguments &a) {
    make_generated(name, a);
    // A failed call may have come so far.
    if (a.status() == GS_OK || a.program().faulty) a.program().model.made_current(a.input_handle(0));
}

void push(Arguments &a) {
    made_current("gs_push_current_stream", a);
    if (a.status() != GS_OK) return;
    Program &program = a.program();
    const auto scope = static_cast<uint64_t>(a.first_output());
    FUZZ_REQUIRE(scope != 0 && !program.had_scope(scope), "a scope's number came twice");
    program.scopes[program.thread].push_back(scope);
    program.all_scopes[program.thread].push_back(scope);
}

// Mostly a scope of this thread, from the innermost out; else an ended one, another thread's, or none.
uint64_t draw_scope(Arguments &a) {
    const Program &program = a.program();
    const uint8_t chosen = a.byte();
    const auto &own = program.scopes[program.thread];
    if (chosen < 0x40) return 0;
    if (chosen < 0xA0 && !own.empty()) return own[own.size() - 1 - (chosen - 0x40u) % own.size()];
    const auto &all = program.all_scopes[chosen % kThreads];
    constexpr uint64_t kNone = uint64_t{1} << 62; // far above the numbers of scopes
    return all.empty() ? kNone + chosen : all[chosen % all.size()];
}

// A scope ends also if the driver refuses to restore its context.
void require(const Arguments &a, bool right, const char *name) {
    const bool refused = a.program().faulty && right && a.status() != GS_ERROR_SCOPE;
    FUZZ_REQUIRE(refused || a.status() == (right ? GS_OK : GS_ERROR_SCOPE), name);
}

void pop(Arguments &a) {
    auto &open = a.program().scopes[a.program().thread];
    const uint64_t scope = draw_scope(a);
    a.returned(gs_pop_current_stream(scope));
    const bool right = !open.empty() && (scope == 0 || scope == open.back());
    require(a, right, "gs_pop_current_stream");
    if (right) open.pop_back();
}

void unwind(Arguments &a) {
    auto &open = a.program().scopes[a.program().thread];
    const uint64_t scope = draw_scope(a);
    a.returned(gs_unwind_current_stream(scope));
    const auto found = std::find(open.begin(), open.end(), scope);
    require(a, found != open.end(), "gs_unwind_current_stream");
    open.erase(found, open.end());
}

// Never as a host function, in which nearly every call is refused.
void forbid_sync(Arguments &a) {
    const auto on = a.number<int32_t>("on") & ~GS_FORBID_AS_HOST_FUNCTION;
    a.returned(gs_forbid_sync(on, a.output<int32_t>("out_previous")));
    if (a.status() == GS_OK && on != GS_FORBID_SYNC)
        a.program().in_notification[a.program().thread] = (on & GS_FORBID_AS_NOTIFICATION) != 0;
}

} // namespace

std::vector<SpecialCall> current_calls() {
    return {
        {"gs_set_current_stream", [](Arguments &a) { made_current("gs_set_current_stream", a); }},
        {"gs_exchange_current_stream", [](Arguments &a) { made_current("gs_exchange_current_stream", a); }},
        {"gs_push_current_stream", push},
        {"gs_pop_current_stream", pop},
        {"gs_unwind_current_stream", unwind},
        {"gs_forbid_sync", forbid_sync},
    };
}

} // namespace gs::fuzz
