// SPDX-License-Identifier: Apache-2.0
// A process that executes commands on tokens, line by line, and replies to each line.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "core/token/token_layout.hpp"
#include "stream_commands.hpp"
#include "token_peer.hpp"

namespace gs::test {
namespace {

std::string make_token(const std::string &) {
    gs_token_t token{};
    const gs_status_t status = gs_token_create(mine().stream, &token);
    return status == GS_OK ? "GS_OK " + token_hex(token) : text_of(status);
}

std::string wait_for(const std::string &hex) {
    const gs_token_t token = token_from_hex(hex);
    return text_of(gs_token_wait(mine().stream, &token));
}

std::string look_at(const std::string &hex) {
    const gs_token_t token = token_from_hex(hex);
    gs_status_t seen = -1;
    const gs_status_t status = gs_token_status(&token, &seen);
    return status == GS_OK ? text_of(seen) : "call: " + text_of(status);
}

std::string settle_token(const std::string &hex) {
    std::string seen;
    while ((seen = look_at(hex)) == "GS_NOT_READY") sched_yield();
    return seen;
}

// Tokens one after the other, each used by this process as well; how many of them were made before the first failure.
std::string make_many(const std::string &count) {
    const int wanted = std::stoi(count);
    for (int i = 0; i < wanted; ++i) {
        gs_token_t token{};
        gs_status_t seen = GS_OK;
        if (const gs_status_t status = gs_token_create(mine().stream, &token); status != GS_OK) return text_of(status);
        if (const gs_status_t status = gs_token_wait(mine().stream, &token); status != GS_OK) return text_of(status);
        if (const gs_status_t status = gs_stream_synchronize(mine().stream); status != GS_OK) return text_of(status);
        if (const gs_status_t status = gs_token_status(&token, &seen); status != GS_OK || seen != GS_OK)
            return "status";
    }
    return "GS_OK";
}

// The same program again, in the same process.
std::string execute_again(const std::string &) {
    std::ifstream file("/proc/self/cmdline");
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    return "exec failed";
}

size_t token_files() {
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(std::getenv("GPUSTREAM_SHM_DIR")))
        count += bytes_of(entry) == kTokenFileBytes;
    return count;
}

// Threads that make the first token at the same time, up to so many times, until they have made several files. All cells of these
// must be used before there is another file.
std::string first_tokens(const std::string &rounds) {
    for (int round = std::stoi(rounds); round > 0; --round) {
        constexpr size_t kThreads = 4;
        std::vector<gs_token_t> tokens(kThreads);
        std::atomic<size_t> ready{0};
        std::vector<std::thread> threads;
        for (gs_token_t &token : tokens)
            threads.emplace_back([&] {
                ++ready;
                while (ready != kThreads) {}
                if (gs_token_create(mine().stream, &token) != GS_OK) std::abort();
            });
        for (std::thread &thread : threads) thread.join();
        const size_t files = token_files();
        if (files > 1) {
            gs_token_t token{};
            for (size_t made = kThreads; made < files * kTokenCells; ++made)
                if (gs_token_create(mine().stream, &token) != GS_OK) return "create";
            return token_files() == files ? "GS_OK" : "more files";
        }
        for (const gs_token_t &token : tokens)
            if (gs_token_wait(mine().stream, &token) != GS_OK) return "wait";
        if (gs_stream_synchronize(mine().stream) != GS_OK || gs_trim() != GS_OK) return "trim";
    }
    return "GS_OK"; // they were never at the same place at the same time
}

// Until the process is killed: tokens without a reader.
std::string churn_tokens(const std::string &) {
    for (;;) {
        gs_token_t token{};
        if (gs_stream_launch_host(mine().stream, [](void *) {}, nullptr) != GS_OK) return "launch";
        if (const gs_status_t status = gs_token_create(mine().stream, &token); status != GS_OK) return text_of(status);
        if (gs_token_wait(mine().stream, &token) != GS_OK) return "wait";
    }
}

// Until the process is killed: waits and looks, which must all succeed or say that the lease has ended.
std::string churn_waits(const std::string &hex) {
    const gs_token_t token = token_from_hex(hex);
    for (;;) {
        gs_status_t seen = GS_OK;
        for (const gs_status_t status : {gs_token_status(&token, &seen), gs_token_wait(mine().stream, &token)})
            if (status != GS_OK && status != GS_ERROR_INVALID_HANDLE) return text_of(status);
    }
}

std::string in_a_capture(const std::string &hex) {
    const gs_token_t token = token_from_hex(hex);
    gs_token_t made{};
    gs_graph_t graph = nullptr;
    if (gs_stream_begin_capture(mine().stream, GS_CAPTURE_GLOBAL) != GS_OK) return "begin";
    const gs_status_t created = gs_token_create(mine().stream, &made);
    const gs_status_t waited = gs_token_wait(mine().stream, &token);
    if (gs_stream_end_capture(mine().stream, &graph) != GS_OK) return "the capture is broken";
    (void)gs_graph_destroy(graph);
    return text_of(created) + " " + text_of(waited);
}

std::string token_in_a_fork(const std::string &hex) {
    return run_forked([&]() -> int {
               gs_token_t token = token_from_hex(hex);
               gs_status_t seen = GS_OK;
               if (gs_token_status(&token, &seen) != GS_ERROR_BAD_FORK) return 1;
               if (gs_token_wait(mine().stream, &token) != GS_ERROR_BAD_FORK) return 2;
               return gs_token_create(mine().stream, &token) == GS_ERROR_BAD_FORK ? 0 : 3;
           }).clean()
               ? "GS_OK"
               : "failed";
}

// Changes bytes of the token, bits in turn first, then at random: no call may crash, wait or be answered. How many did.
std::string mutate_token(const std::string &arguments) {
    const size_t space = arguments.find(' ');
    const gs_token_t token = token_from_hex(arguments.substr(0, space));
    const unsigned long long rounds = std::stoull(arguments.substr(space + 1));
    unsigned long long accepted = 0;
    uint64_t state = 0x9e3779b97f4a7c15u;
    const auto next = [&state] {
        state ^= state << 13;
        state ^= state >> 7;
        return state ^= state << 17;
    };
    for (unsigned long long i = 0; i < rounds; ++i) {
        gs_token_t changed = token;
        if (i < 8 * sizeof token.data) {
            changed.data[i / 8] = static_cast<unsigned char>(changed.data[i / 8] ^ (1u << i % 8));
        } else {
            for (uint64_t left = next() % 4 + 1; left > 0; --left) {
                const uint64_t place = next();
                unsigned char &byte = changed.data[place % sizeof token.data];
                byte = static_cast<unsigned char>(byte ^ (1 + (place >> 32) % 255));
            }
            if (std::equal(std::begin(changed.data), std::end(changed.data), std::begin(token.data))) continue;
        }
        gs_status_t seen = GS_OK;
        if (gs_token_status(&changed, &seen) != GS_ERROR_INVALID_ARGUMENT) ++accepted;
        if (gs_token_wait(mine().stream, &changed) != GS_ERROR_INVALID_ARGUMENT) ++accepted;
    }
    return "accepted " + std::to_string(accepted);
}

const std::map<std::string, Command> kTokenCommands = with_stream_commands({
    {"token", make_token},
    {"wait", wait_for},
    {"status", look_at},
    {"settle", settle_token},
    {"many", make_many},
    {"exec", execute_again},
    {"first", first_tokens},
    {"churn", churn_tokens},
    {"churn_waits", churn_waits},
    {"capture", in_a_capture},
    {"fork", token_in_a_fork},
    {"mutate", mutate_token},
});

} // namespace

GS_CHILD(token) { return serve_commands(kTokenCommands); }

} // namespace gs::test
