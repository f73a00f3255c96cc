// SPDX-License-Identifier: Apache-2.0
// Traces: one runs at a time, only its number ends it, and no other one is written by it.
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

uint64_t g_last_trace = 0; // also of an earlier program: the library keeps it

void trace_begin(Arguments &a) {
    const auto *options = a.struct_input<gs_trace_options_t>("options");
    uint64_t *trace = a.output<uint64_t>("out_trace");
    const gs_status_t status = gs_trace_begin(options, trace);
    uint64_t &running = a.program().running_trace;
    if (running != 0) {
        FUZZ_REQUIRE(status != GS_OK, "a second trace was started");
        if (status == GS_ERROR_NOT_PERMITTED) a.expect_any_status();
    }
    if (status == GS_OK) running = g_last_trace = *trace;
    a.returned(status);
}

// Small numbers stand for the one that runs: drawn at random, none would ever be it.
void trace_end(Arguments &a) {
    uint64_t &running = a.program().running_trace;
    const auto drawn = a.number<uint64_t>("trace");
    const uint64_t trace = drawn < 16 ? running : drawn;
    const gs_status_t status = gs_trace_end(trace);
    FUZZ_REQUIRE((status == GS_OK) == (running != 0 && trace == running), "only the running trace's number ends it");
    if (status == GS_OK) running = 0;
    a.returned(status);
}

// Small numbers but 0 stand for the one that began last. Ends at a piece that the input chooses, with the status of the
// writer.
void trace_write(Arguments &a) {
    const auto drawn = a.number<uint64_t>("trace");
    const uint64_t trace = drawn != 0 && drawn < 16 ? g_last_trace : drawn, running = a.program().running_trace;
    int left = a.byte() + 1;
    const gs_status_t status = gs_trace_write(
        trace,
        [](void *pieces, const char *text, size_t bytes) -> gs_status_t {
            FUZZ_REQUIRE(text && bytes != 0, "a piece without text");
            return --*static_cast<int *>(pieces) == 0 ? GS_ERROR_SYSTEM : GS_OK;
        },
        &left);
    FUZZ_REQUIRE(status != GS_OK || trace == 0 || trace == g_last_trace, "another trace was written");
    FUZZ_REQUIRE(status != GS_ERROR_NOT_RECORDED || running == 0 || (trace != 0 && trace != running),
                 "the running trace is kept");
    const bool ended = left == 0;
    FUZZ_REQUIRE(!ended || status == GS_ERROR_SYSTEM, gs_status_name(status));
    if (ended) a.expect_any_status();
    a.returned(status);
}

void operation_is_known(void *, int32_t kind, uint64_t, uint64_t, uint64_t, const char *text) {
    const bool named = kind == GS_TRACED_RANGE_PUSH || kind == GS_TRACED_RANGE_START || kind == GS_TRACED_MARK;
    FUZZ_REQUIRE(kind >= GS_TRACED_RECORD && kind <= GS_TRACED_MARK && named == (text != nullptr),
                 "an unknown operation");
}

void set_trace_callback(Arguments &a) {
    a.returned(gs_set_trace_callback(a.byte() < 0xC0 ? operation_is_known : nullptr, nullptr));
}

} // namespace

std::vector<SpecialCall> trace_calls() {
    return {{"gs_trace_begin", trace_begin},
            {"gs_trace_end", trace_end},
            {"gs_trace_write", trace_write},
            {"gs_set_trace_callback", set_trace_callback}};
}

} // namespace gs::fuzz
