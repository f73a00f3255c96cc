// SPDX-License-Identifier: Apache-2.0
// A scenario is a piece of a program that uses the library: a list of steps, which ends at the first that fails. It may
// be run again at any time, and leaves nothing behind.
#pragma once

#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpustream.h"

namespace gs::test {

// One run of a scenario: what its steps returned, and what rules they broke.
class Run {
public:
    // Status and detail of the step that failed.
    gs_status_t status = GS_OK;
    gs_error_info_t info{};
    std::string failed_step;
    // The step in which the fault was injected, and whether that step, or a clean-up step, reported it.
    std::string hit_step;
    gs_status_t hit_status = GS_OK;
    gs_error_info_t hit_info{};
    std::vector<std::string> complaints; // broken promises, whatever was injected
    std::set<std::string> functions;     // of the library, by name

    // An output of a step: filled with garbage before. After a failure a struct is untouched and anything else zero.
    template <typename T>
    T *out(T *value) {
        std::memset(value, kGarbage, sizeof *value);
        outputs_.push_back({value, sizeof *value, std::is_class_v<T> ? kGarbage : 0});
        return value;
    }

    template <typename Call>
    bool step(const char *text, gs_status_t wanted, Call &&call) {
        begin(text);
        return end(text, wanted, call());
    }
    // A destroy: the scenario is over whatever it says.
    template <typename Call>
    void clean(const char *text, Call &&call) {
        begin(text);
        (void)end(text, GS_OK, call());
    }
    void called(const char *text) { functions.insert(std::string(text, std::strcspn(text, "("))); }
    void require(bool condition, const char *text) {
        if (!condition && status == GS_OK) complaints.push_back(std::string("not true: ") + text);
    }

private:
    void begin(const char *text);
    bool end(const char *text, gs_status_t wanted, gs_status_t got);

    static constexpr int kGarbage = 0x5A;
    struct WrittenOutput {
        void *value;
        size_t size;
        int after_failure; // each of its bytes
    };
    std::vector<WrittenOutput> outputs_;
    uint64_t injected_before_ = 0;
};

struct Scenario {
    const char *name;
    void (*run)(Run &run);
    bool cold = false;                 // begins with a process that has not called the library
    const char *environment = nullptr; // "NAME=value" before the driver is loaded
    void (*setup)() = nullptr;         // before any fault
    bool asks_until_done = false; // without a limit: it ends only if the driver says at some time that work is done
};
const std::vector<Scenario> &scenarios();
void PrintTo(const Scenario &scenario, std::ostream *out); // for gtest

// The lists of the scenario files.
std::vector<Scenario> device_scenarios();
std::vector<Scenario> stream_scenarios();
std::vector<Scenario> event_scenarios();
std::vector<Scenario> work_scenarios();
std::vector<Scenario> completion_scenarios();
std::vector<Scenario> timeline_scenarios();
std::vector<Scenario> pool_scenarios();
std::vector<Scenario> partition_scenarios();
std::vector<Scenario> capture_scenarios();
std::vector<Scenario> table_scenarios();
std::vector<Scenario> bridge_scenarios();
std::vector<Scenario> graph_scenarios();
std::vector<Scenario> seeing_scenarios();
std::vector<Scenario> graph_node_scenarios();

// Owns what a step created.
template <typename Handle, gs_status_t (*Destroy)(Handle)>
class Made {
public:
    Made(Run &run, const char *text) : run_(run), text_(text) {}
    ~Made() {
        if (handle_ && done_) run_.clean(text_, [this] { return Destroy(handle_); });
    }
    Made(const Made &) = delete;
    Made &operator=(const Made &) = delete;

    Handle *out() { return run_.out(&handle_); }
    bool keep(bool made) { return done_ = made; }
    operator Handle() const { return handle_; } // NOLINT: used in place of the handle
    Handle release() {
        done_ = false;
        return handle_;
    }

private:
    Run &run_;
    const char *text_;
    Handle handle_ = nullptr;
    bool done_ = false;
};

using MadeStream = Made<gs_stream_t, gs_stream_destroy>;
using MadeEvent = Made<gs_event_t, gs_event_destroy>;
using MadeModule = Made<gs_module_t, gs_module_destroy>;

} // namespace gs::test

// In a scenario whose parameter is `run`: ends it when the call fails.
#define DO(call)                                                                                                       \
    if (!run.step(#call, GS_OK, [&] { return call; })) return
#define DO_FAILING(wanted, call)                                                                                       \
    if (!run.step(#call, wanted, [&] { return call; })) return
#define MAKE(made, call)                                                                                               \
    if (!(made).keep(run.step(#call, GS_OK, [&] { return call; }))) return
#define CLEAN(call) run.clean(#call, [&] { return call; })
#define STREAM(name) MadeStream name(run, "gs_stream_destroy(" #name ")")
#define EVENT(name) MadeEvent name(run, "gs_event_destroy(" #name ")")
