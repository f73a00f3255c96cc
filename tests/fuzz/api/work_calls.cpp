// SPDX-License-Identifier: Apache-2.0
// Functions of the caller's, modules and kernels.
#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "conformance/kernels.hpp"
#include "fuzz/api/arguments.hpp"
#include "fuzz/api/ground.hpp"
#include "fuzz/api/program.hpp"
#include "fuzz/api/special_calls.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

void do_nothing(void *) {}

void launch_host(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const bool null = a.byte() == 0xFF;
    Program &program = a.program();
    const Order::Name name = a.stream_name(0);
    const bool lives = program.model.alive(name.first, "stream") != Alive::No;
    Order::Work *work = lives ? program.order.next(name) : nullptr;
    a.returned(gs_stream_launch_host(stream, null ? nullptr : work ? Order::Work::run : do_nothing, work));
    FUZZ_REQUIRE(!null || a.status() != GS_OK, "a function that is NULL");
    if (work && a.status() == GS_OK) program.order.launched(work);
}

void count(void *counter, gs_status_t status) {
    FUZZ_REQUIRE(status == GS_OK, std::string("a notification of a healthy stream: ") + gs_status_name(status));
    ++*static_cast<std::atomic<int> *>(counter);
}

void notify(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const bool null = a.byte() == 0xFF;
    Order &order = a.program().order;
    a.returned(gs_stream_notify(stream, null ? nullptr : count, &order.notified));
    FUZZ_REQUIRE(!null || a.status() != GS_OK, "a function that is NULL");
    if (a.status() == GS_OK) ++order.notifications;
}

// The library is initialised, so the function runs at once, and the call has its status.
void call_on_init(Arguments &a) {
    static thread_local gs_status_t answer;
    static thread_local int runs;
    const uint8_t chosen = a.byte();
    answer = a.number<gs_status_t>("status");
    runs = 0;
    const auto function = [](void *) {
        ++runs;
        return answer;
    };
    a.expect_any_status();
    a.returned(gs_call_on_init(chosen == 0xFF ? nullptr : +function, nullptr));
    const bool is_error = std::string(gs_status_name(answer)) != "GS_ERROR_UNKNOWN" && answer != GS_NOT_READY;
    const gs_status_t wanted = chosen != 0xFF && is_error ? answer : GS_ERROR_INVALID_ARGUMENT;
    FUZZ_REQUIRE(a.status() == wanted && runs == (chosen == 0xFF ? 0 : 1), gs_status_name(a.status()));
}

std::string text_of(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Good images, beginnings of them, and what is none. (The harness images has the damaged ones.)
void load_module(Arguments &a) {
    static const std::string path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / GS_FUZZ_KERNELS;
    static const std::string object = text_of(path), ptx = gs::test::kPtx;
    const gs_device_t device = a.device();
    const uint8_t chosen = a.byte();
    const std::string whole[] = {path, object, ptx, "/nowhere", "/", "no image", std::string(200, '\xff')};
    std::string image = whole[chosen % std::size(whole)];
    const bool is_path = image[0] == '/';
    if (chosen >= 0xC0 && !is_path) image.resize(image.size() * (chosen % 8u) / 8 + 1);
    // PTX ends with a NUL.
    const size_t bytes = is_path ? 0 : image.size() + (image[0] == '.' ? 1 : 0);
    gs_module_t *out = a.handle_output<gs_module_t>("out_module");
    a.returned(gs_module_load(device, chosen == 0xFF ? nullptr : image.c_str(), bytes, out));
}

// The kernels of the conformance suite write to their first argument.
void launch_kernel(Arguments &a) {
    static uint32_t memory[64];
    static uint32_t *pointer = memory;
    static uint32_t base = 1, most = 16;
    static void *arguments[] = {&pointer, &base, &most};
    const auto kernel = a.handle<gs_kernel_t>("kernel");
    const auto stream = a.handle<gs_stream_t>("stream");
    constexpr uint32_t kOdd[] = {0, 1025, ~uint32_t{0}, 1u << 31};
    const auto threads = [&] {
        const uint8_t chosen = a.byte();
        return chosen < 0xF0 ? chosen % 3u + 1 : kOdd[chosen % 4];
    };
    gs_launch_config_t config = {};
    // A grid out of range would be a long one where it is not refused.
    for (uint32_t *blocks : {&config.grid_x, &config.grid_y, &config.grid_z}) *blocks = a.byte() % 4;
    for (uint32_t *size : {&config.block_x, &config.block_y, &config.block_z}) *size = threads();
    config.shared_memory_bytes = a.byte() % 2 * 64;
    const uint8_t chosen = a.byte();
    const size_t usual = sizeof config;
    config.flags = chosen < 0x40 ? chosen % 32 : 0; // from 16 on unknown
    config.priority = chosen < 0x40 ? chosen - 8 : 0;
    config.cluster_x = config.cluster_y = config.cluster_z = chosen < 0x20 ? chosen % 3 : 0;
    config.struct_size = static_cast<uint32_t>(chosen < 0xC0   ? usual
                                               : chosen < 0xF0 ? usual + chosen % 16 - 8
                                                               : chosen % 9);
    const size_t room = std::max<size_t>(config.struct_size, sizeof config.struct_size);
    const auto place = std::make_unique<unsigned char[]>(room); // ends where the caller says it does
    std::memcpy(place.get(), &config, std::min(room, usual));
    if (chosen >= 0xE0 && room > usual) place[room - 1] = 1; // a field of a later version
    const auto *given = chosen == 0xFF ? nullptr : reinterpret_cast<const gs_launch_config_t *>(place.get());
    a.returned(gs_kernel_launch(kernel, given, arguments, stream));
    const bool empty = config.grid_x * config.grid_y * config.grid_z == 0;
    if (!given || empty) FUZZ_REQUIRE(a.status() != GS_OK, "a launch of nothing");
}

void set_log_callback(Arguments &a) {
    a.byte();
    a.returned(gs_set_log_callback(log_is_text, nullptr));
}

void race_is_text(void *, const char *text, const char *json) {
    FUZZ_REQUIRE(text[0] != '\0' && json[0] == '{', "a report without text");
}

void set_check_callback(Arguments &a) {
    a.byte();
    a.returned(gs_set_check_callback(race_is_text, nullptr));
}

// Never with GS_CHECK_ABORT: races are what random programs are made of.
void check_start(Arguments &a) {
    const auto flags = a.number<uint32_t>("flags") & ~uint32_t{GS_CHECK_ABORT};
    FUZZ_REQUIRE(gs_set_check_callback(race_is_text, nullptr) == GS_OK, "gs_set_check_callback");
    a.returned(gs_check_start(flags));
}

// Also with clocks that the library never gave out.
void check_handover(Arguments &a) {
    const uint8_t drawn = a.byte();
    uint64_t clock = drawn & 0x0F;
    a.returned(gs_check_handover(drawn < 0xF0 ? &clock : nullptr));
}

// Other descriptors belong to the harness and to drivers.
void dump(Arguments &a) {
    static const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const auto fd = a.number<int32_t>("fd");
    a.returned(gs_dump(fd < 0 ? fd : null));
}

// A file that is no log: those that are have a test of mutated bytes (tests/logs/log_file_reader_test.cpp).
void dump_log(Arguments &a) {
    static const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const bool given = a.byte() < 0xF0;
    const auto fd = a.number<int32_t>("fd");
    a.returned(gs_dump_log(given ? "/proc/self/exe" : nullptr, fd < 0 ? fd : null));
}

void explain_wait(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    char text[64];
    const size_t capacity = a.byte() % (sizeof text + 1);
    const bool given = a.byte() < 0xF0;
    std::memset(text, '#', sizeof text);
    size_t *bytes = a.output<size_t>("out_bytes");
    const gs_status_t status = gs_explain_wait(stream, given ? text : nullptr, capacity, bytes);
    FUZZ_REQUIRE(status != GS_OK || *bytes > 1, "a text");
    if (status == GS_OK && given && capacity != 0)
        FUZZ_REQUIRE(std::strlen(text) < capacity && std::strlen(text) < *bytes, "the text ends");
    for (size_t at = given ? capacity : 0; at < sizeof text; ++at) FUZZ_REQUIRE(text[at] == '#', "room is kept to");
    a.returned(status);
}

} // namespace

std::vector<SpecialCall> work_calls() {
    return {{"gs_stream_launch_host", launch_host},
            {"gs_stream_notify", notify},
            {"gs_call_on_init", call_on_init},
            {"gs_module_load", load_module},
            {"gs_kernel_launch", launch_kernel},
            {"gs_set_log_callback", set_log_callback},
            {"gs_set_check_callback", set_check_callback},
            {"gs_check_start", check_start},
            {"gs_dump", dump},
            {"gs_dump_log", dump_log},
            {"gs_explain_wait", explain_wait},
            {"gs_check_handover", check_handover}};
}

} // namespace gs::fuzz
