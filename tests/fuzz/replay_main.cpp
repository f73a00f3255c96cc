// SPDX-License-Identifier: Apache-2.0
// Runs a harness over files, without clang: the corpora are regression tests for every compiler.
//   HARNESS FILE|FOLDER...
// Each input runs twice and must do the same both times. A crash is preceded by the name of its input.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/entry.hpp"

namespace {

char g_current[512];

void name_input(int signal_number) {
    const ssize_t written = write(STDERR_FILENO, g_current, std::strlen(g_current));
    (void)written; // the process ends
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

std::vector<std::string> inputs(int count, char **arguments) {
    std::vector<std::string> files;
    for (int i = 1; i < count; ++i) {
        if (!std::filesystem::is_directory(arguments[i])) {
            files.push_back(arguments[i]);
            continue;
        }
        for (const auto &entry : std::filesystem::directory_iterator(arguments[i]))
            if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

int main(int count, char **arguments) {
    LLVMFuzzerInitialize(&count, &arguments);
    for (const int fatal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) signal(fatal, name_input);
    const std::vector<std::string> files = inputs(count, arguments);
    int differ = 0;
    for (const std::string &file : files) {
        std::ifstream stream(file, std::ios::binary);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
        if (!stream) {
            std::fprintf(stderr, "%s cannot be read\n", file.c_str());
            return 2;
        }
        std::snprintf(g_current, sizeof g_current, "the input was %s\n", file.c_str());
        alarm(60); // an input that never ends is a finding
        const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
        const uint64_t first = gs::fuzz::digest_of(data, bytes.size());
        const uint64_t second = gs::fuzz::digest_of(data, bytes.size());
        alarm(0);
        if (first == second) continue;
        std::fprintf(stderr, "%s: two runs differ (GPUSTREAM_FUZZ_TRACE=1 shows their steps)\n", file.c_str());
        ++differ;
    }
    std::printf("%zu inputs, %d differ\n", files.size(), differ);
    return files.empty() || differ > 0 ? 1 : 0;
}
