// SPDX-License-Identifier: Apache-2.0
#include "fuzz/api/ground.hpp"

#include <sched.h>

#include <string>

#include "core/graph/graph_slots.hpp"
#include "core/slots.hpp"
#include "fuzz/api/driver_faults.hpp"
#include "fuzz/api/foreign.hpp"
#include "fuzz/harness.hpp"
#include "fuzz/texts.hpp"
#include "support/fake_cuda/fake_cuda.h"

namespace gs::fuzz {

Model *g_model = nullptr;

namespace {

template <typename Slots>
size_t live(Slots &slots) {
    size_t count = 0;
    for (uint32_t index = slots.last_index(); index > 0; --index) count += slots.at(index)->handle.load() != 0;
    return count;
}

std::vector<size_t> balance() {
    return {live(stream_slots()), live(event_slots()), live(module_slots()),
            live(kernel_slots()), live(graph_slots()), live(exec_slots())};
}
std::vector<size_t> g_balance, g_driver_balance;

// Kind by kind; a difference for a person to read, or nothing.
std::string surplus(const std::vector<size_t> &now, const std::vector<size_t> &before,
                    const std::vector<size_t> &kept) {
    std::string text;
    for (size_t kind = 0; kind < now.size(); ++kind)
        if (now[kind] > before[kind] + kept[kind])
            text += "kind " + std::to_string(kind) + ": " + std::to_string(now[kind]) + " objects, " +
                    std::to_string(before[kind]) + " before, and " + std::to_string(kept[kind]) + " may be left; ";
    return text;
}

// What graphs refer to is released by other threads, after the call that ends the graph: it is waited for.
constexpr int kPatience = 10000; // rounds, far more than are needed

template <typename Now>
void check_balance(Now now, const std::vector<size_t> &before, const std::vector<size_t> &kept) {
    for (int i = 0; i < kPatience && !surplus(now(), before, kept).empty(); ++i) {
        sched_yield();
        FUZZ_REQUIRE(gs_trim() == GS_OK, "gs_trim");
    }
    FUZZ_REQUIRE(surplus(now(), before, kept).empty(), surplus(now(), before, kept));
}

// Objects whose destruction failed are given up: at most one for each call that was refused.
void check_driver_balance(const Program &program) {
    std::vector<size_t> kept(driver_objects().size(), program.refused);
    if (!kept.empty()) kept[FAKE_CUDA_STREAM] += program.kept_streams;
    check_balance(driver_objects, g_driver_balance, kept);
    g_driver_balance = driver_objects();
    check_violations();
}

void add_default_streams(gs_backend_t backend) {
    int32_t count = 0;
    if (gs_device_count(backend, &count) != GS_OK) return;
    for (int32_t ordinal = 0; ordinal < count; ++ordinal)
        for (const auto function : {gs_default_stream, gs_per_thread_stream}) {
            gs_stream_t stream = nullptr;
            FUZZ_REQUIRE(function(GS_DEVICE(backend, ordinal), &stream) == GS_OK, "a default stream");
            g_model->add_immortal("stream", reinterpret_cast<uint64_t>(stream));
        }
}

constexpr int kComparisons = 8; // of clocks, which the library keeps for each device

// What is made at first use and kept: a device's context, the kernel of gs_stream_sleep(), events of the default and
// per-thread streams, and those of gs_device_calibrate().
void warm_up(gs_backend_t backend) {
    int32_t count = 0;
    FUZZ_REQUIRE(gs_device_count(backend, &count) == GS_OK, "gs_device_count");
    for (int32_t ordinal = 0; ordinal < count; ++ordinal) {
        gs_stream_t stream = nullptr, own = nullptr;
        FUZZ_REQUIRE(gs_default_stream(GS_DEVICE(backend, ordinal), &stream) == GS_OK, "a default stream");
        FUZZ_REQUIRE(gs_per_thread_stream(GS_DEVICE(backend, ordinal), &own) == GS_OK, "a per-thread stream");
        FUZZ_REQUIRE(gs_stream_sleep(stream, 1) == GS_OK, "gs_stream_sleep");
        FUZZ_REQUIRE(gs_stream_wait_stream(stream, own) == GS_OK, "gs_stream_wait_stream");
        FUZZ_REQUIRE(gs_stream_wait_stream(own, stream) == GS_OK, "gs_stream_wait_stream");
        for (int i = 0; i < kComparisons; ++i) {
            int64_t error = 0;
            FUZZ_REQUIRE(gs_device_calibrate(GS_DEVICE(backend, ordinal), &error) == GS_OK, "gs_device_calibrate");
        }
    }
    synchronize_all_devices();
}

} // namespace

void log_is_text(void *, int32_t, const char *text) {
    FUZZ_REQUIRE(is_text(text), printable(text));
    remark(text);
}

void synchronize_all_devices() {
    for (const gs_backend_t backend : {GS_BACKEND_HOST, GS_BACKEND_CUDA}) {
        int32_t count = 0;
        FUZZ_REQUIRE(gs_device_count(backend, &count) == GS_OK, "gs_device_count");
        for (int32_t ordinal = 0; ordinal < count; ++ordinal)
            FUZZ_REQUIRE(gs_device_synchronize(GS_DEVICE(backend, ordinal)) == GS_OK, "gs_device_synchronize");
    }
}

void start_programs(void (*prepare)()) {
    gs_set_log_callback(log_is_text, nullptr);
    FUZZ_REQUIRE(gs_init() == GS_OK, "gs_init");
    g_model = new Model;
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    FUZZ_REQUIRE(gs_default_backend(&backend) == GS_OK, "gs_default_backend");
    add_default_streams(GS_BACKEND_HOST);
    if (backend != GS_BACKEND_HOST) add_default_streams(backend);
    make_foreign();
    warm_up(backend);
    if (prepare) prepare();
    g_balance = balance();
    FUZZ_REQUIRE(gs_trim() == GS_OK, "gs_trim");
    g_driver_balance = driver_objects();
}

void run_alone(Program &program) {
    program.run();
    g_model->forget();
    check_driver_balance(program);
    check_balance(balance, g_balance, std::vector<size_t>(g_balance.size()));
    FUZZ_REQUIRE(balance() == g_balance, "objects that outlive the program are gone");
}

} // namespace gs::fuzz
