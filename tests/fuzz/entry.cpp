// SPDX-License-Identifier: Apache-2.0
// Between libFuzzer, or the replay, and a harness.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "fuzz/entry.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

uint64_t g_digest = 0;
bool g_trace = false;

void add_to_digest(const char *text) {
    for (; *text != '\0'; ++text) g_digest = (g_digest ^ static_cast<unsigned char>(*text)) * 0x100000001b3u; // FNV-1a
}

} // namespace

void note(const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_to_digest(text);
    if (g_trace) std::fprintf(stderr, "  %s\n", text);
}

void remark(const char *text) {
    if (g_trace) std::fprintf(stderr, "  %s\n", text);
}

void found(const char *file, int line, const char *rule, const std::string &detail) {
    std::fprintf(stderr, "%s:%d: broken rule: %s\n  %s\n", file, line, rule, detail.c_str());
    std::abort();
}

uint64_t digest_of(const uint8_t *data, size_t size) {
    g_digest = 0xcbf29ce484222325u;
    one(Bytes(data, size));
    return g_digest;
}

} // namespace gs::fuzz

extern "C" {

// GPUSTREAM_FUZZ_PLANT=N: the library has the harness's bug N, from 1. GPUSTREAM_FUZZ_TRACE=1: each step is printed.
int LLVMFuzzerInitialize(int *, char ***) {
    const auto number = [](const char *name) {
        const char *value = std::getenv(name);
        return value ? std::strtoul(value, nullptr, 10) : 0;
    };
    gs::fuzz::g_trace = number("GPUSTREAM_FUZZ_TRACE") != 0;
    if (const size_t bug = number("GPUSTREAM_FUZZ_PLANT")) gs::testing::seeded_bug = gs::fuzz::kPlantedBugs.at(bug - 1);
    gs::fuzz::start();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gs::fuzz::digest_of(data, size);
    return 0;
}

} // extern "C"
