// SPDX-License-Identifier: Apache-2.0
// The oracle's random programs on GPUs, many at a time, with elision and without it; and the seeded bugs, which they must
// find there too.
//   gpustream_gpu_oracle [--programs N] [--threads N] [--seed N]      default: 100000 programs, 16 threads, from seed 1
// --seed with --programs 1 repeats one program, as a failure prints it.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

#include "gpu_site.hpp"
#include "oracle/runner.hpp"
#include "support/seeded.hpp"

namespace gs::oracle {
namespace {

constexpr uint64_t kShare = 50; // programs that a thread takes at a time
constexpr uint64_t kSeededPrograms = 20'000;

struct Settings {
    uint64_t programs = 100'000;
    uint64_t threads = 16;
    uint64_t seed = 1;
};

// One for each thread, loaded before any program runs: loading waits for all work of a device.
using Sites = std::vector<std::unique_ptr<GpuSite>>;

std::vector<Failure> run_all(Sites &sites, uint64_t seed, uint64_t count, Mode mode, Elision elision) {
    std::atomic<uint64_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::vector<Failure> failures;
    std::vector<std::thread> threads;
    for (auto &site : sites)
        threads.emplace_back([&, at = &site] {
            for (uint64_t from; !failed.load() && (from = next.fetch_add(kShare)) < count;) {
                auto found = run_programs(**at, seed + from, std::min(kShare, count - from), mode, elision);
                if (found.empty()) continue;
                failed.store(true);
                const std::lock_guard<std::mutex> lock(mutex);
                failures.insert(failures.end(), found.begin(), found.end());
            }
        });
    for (std::thread &thread : threads) thread.join();
    return failures;
}

bool expect_right(Sites &sites, const Settings &settings, const char *name, uint64_t count, Mode mode,
                  Elision elision) {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<Failure> failures = run_all(sites, settings.seed, count, mode, elision);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("%-11s elision %-3s %8llu programs %6.1f s  %s\n", name, elision == Elision::On ? "on" : "off",
                static_cast<unsigned long long>(count), took.count(), failures.empty() ? "right" : "WRONG");
    for (const Failure &failure : failures)
        std::printf("%sagain with --programs 1 --seed %llu\n", failure.text.c_str(),
                    static_cast<unsigned long long>(failure.seed));
    std::fflush(stdout);
    return failures.empty();
}

bool expect_found(Sites &sites, const char *name, testing::SeededBug bug) {
    const testing::Seeded seeded(bug);
    const std::vector<Failure> failures = run_all(sites, 1, kSeededPrograms, Mode::Interleaved, Elision::On);
    std::printf("seeded bug  %-24s %s\n", name, failures.empty() ? "NOT FOUND" : "found");
    if (!failures.empty())
        std::printf("            seed %llu: %s\n", static_cast<unsigned long long>(failures.front().seed),
                    failures.front().text.substr(0, failures.front().text.find('\n')).c_str());
    std::fflush(stdout);
    return !failures.empty();
}

int run(const Settings &settings) {
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    if (gs_init() != GS_OK || gs_default_backend(&backend) != GS_OK || backend != GS_BACKEND_CUDA) {
        std::fprintf(stderr, "no CUDA backend here\n");
        return 1;
    }
    Sites sites;
    while (sites.size() < settings.threads) sites.push_back(std::make_unique<GpuSite>());
    for (auto &site : sites) site->release_streams();
    std::printf("%s, %zu threads\n", sites.front()->has_two_devices() ? "two devices" : "one device", sites.size());
    bool ok = true;
    for (const Elision elision : {Elision::On, Elision::Off}) {
        ok = expect_right(sites, settings, "interleaved", settings.programs, Mode::Interleaved, elision) && ok;
        const uint64_t few = (settings.programs + 9) / 10;
        ok = expect_right(sites, settings, "parallel", few, Mode::Parallel, elision) && ok;
    }
    if (settings.programs > 1) {
        ok = expect_found(sites, "SkipWaitAcrossStreams", testing::SeededBug::SkipWaitAcrossStreams) && ok;
        ok = expect_found(sites, "PublishBeforeCall", testing::SeededBug::PublishBeforeCall) && ok;
    }
    return ok ? 0 : 1;
}

} // namespace
} // namespace gs::oracle

int main(int argc, char **argv) {
    gs::oracle::Settings settings;
    for (int i = 1; i < argc; i += 2) {
        uint64_t *to = std::strcmp(argv[i], "--programs") == 0  ? &settings.programs
                       : std::strcmp(argv[i], "--threads") == 0 ? &settings.threads
                       : std::strcmp(argv[i], "--seed") == 0    ? &settings.seed
                                                                : nullptr;
        char *end = nullptr;
        if (to && i + 1 < argc) *to = std::strtoull(argv[i + 1], &end, 10);
        if (!to || !end || end == argv[i + 1] || *end != '\0') {
            std::fprintf(stderr, "usage: %s [--programs N] [--threads N] [--seed N]\n", argv[0]);
            return 2;
        }
    }
    return gs::oracle::run(settings);
}
