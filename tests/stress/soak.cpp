// SPDX-License-Identifier: Apache-2.0
// A long random use of the library from many threads. The process, the memory given out by the device and the number of driver
// objects must not grow.
//   gpustream_soak [--calls N] [--threads N] [--seed N] [--leak N]      default: 10^9 calls in all, 16 threads
// --leak N forgets an event every N calls, to show that growth is seen.
// Exit status 1: a call failed, or something grew after the first tenth.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "gpustream.h"

namespace {

constexpr size_t kStreams = 4;
constexpr size_t kEvents = 8;
constexpr uint64_t kShare = 4096; // calls between two looks at what is left
constexpr uint64_t kSamples = 20;
constexpr double kMiB = 1024.0 * 1024.0;
constexpr double kTolerance = 8; // MiB: an allocator's arenas settle late

struct Settings {
    uint64_t calls = 1'000'000'000;
    uint64_t threads = 16;
    uint64_t seed = 1;
    uint64_t leak = 0;
};

std::atomic<uint64_t> g_calls{0};
std::atomic<bool> g_failed{false};

void expect(gs_status_t status, const char *what) {
    if (status == GS_OK || g_failed.exchange(true)) return;
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    const bool known = gs_last_error(&error) == GS_OK;
    std::fprintf(stderr, "%s: %s\n", what, known ? error.message : gs_status_name(status));
}
#define DO(call) expect(call, #call)

class User {
public:
    User(const Settings &settings, uint64_t number, int32_t devices)
        : random_(settings.seed * 1000 + number), leak_(settings.leak),
          device_(static_cast<int32_t>(number) % devices) {
        DO(gs_set_current_device(device_));
        for (gs_stream_t &stream : streams_) DO(gs_stream_create(device_, 0, 0, &stream));
        for (gs_event_t &event : events_) DO(gs_event_create(0, &event));
    }
    ~User() {
        for (gs_stream_t stream : streams_) {
            DO(gs_stream_synchronize(stream));
            DO(gs_stream_destroy(stream));
        }
        for (gs_event_t event : events_) DO(gs_event_destroy(event));
    }
    User(const User &) = delete;
    User &operator=(const User &) = delete;

    void calls(uint64_t count) {
        for (uint64_t i = 0; i < count; ++i) {
            one();
            gs_event_t forgotten = nullptr;
            if (leak_ != 0 && i % leak_ == 0) DO(gs_event_create(0, &forgotten));
        }
    }

private:
    // Mostly what hot loops call; now and then what creates, ends or waits.
    void one() {
        const uint64_t bits = random_();
        gs_stream_t &stream = streams_[bits % kStreams];
        gs_event_t &event = events_[bits >> 8 & (kEvents - 1)];
        int32_t done = 0;
        switch (bits >> 32 & 63) {
        case 0: DO(gs_stream_synchronize(stream)); break;
        case 1: DO(gs_event_synchronize(event)); break;
        case 2:
            DO(gs_stream_destroy(stream));
            DO(gs_stream_create(device_, bits >> 40 & 1 ? -1 : 0, 0, &stream));
            break;
        case 3: DO(gs_stream_wait_stream(stream, streams_[bits >> 16 & (kStreams - 1)])); break;
        case 4: DO(gs_stream_query(stream, &done)); break;
        case 5: with_memory(stream); break;
        case 6: with_function(stream, bits); break;
        default: often(bits, stream, event);
        }
    }

    void often(uint64_t bits, gs_stream_t stream, gs_event_t &event) {
        int32_t done = 0;
        gs_stream_t current = nullptr;
        switch (bits >> 24 & 15) {
        case 0:
        case 1: DO(gs_event_record(event, stream)); break;
        case 2:
        case 3: DO(gs_stream_wait_event(stream, event)); break;
        case 4:
            DO(gs_event_destroy(event));
            DO(gs_event_create(bits >> 40 & 1 ? GS_EVENT_TIMING : 0, &event));
            break;
        case 5:
        case 6:
        case 7:
        case 8: DO(gs_event_query(event, &done)); break;
        case 9:
        case 10:
        case 11: DO(gs_current_stream(device_, &current)); break;
        default: {
            uint64_t scope = 0;
            DO(gs_push_current_stream(stream, &scope));
            DO(gs_pop_current_stream(scope));
        }
        }
    }

    static void with_memory(gs_stream_t stream) {
        void *memory = nullptr;
        DO(gs_malloc_async(1 << 12, stream, &memory));
        DO(gs_memset_async(memory, 7, 1 << 12, stream));
        DO(gs_free_async(memory, stream));
    }

    void with_function(gs_stream_t stream, uint64_t bits) {
        if ((bits >> 48 & 63) != 0) return; // a driver's thread runs these: they are slow
        DO(gs_stream_launch_host(stream, [](void *) {}, nullptr));
        DO(gs_stream_notify(stream, [](void *, gs_status_t status) { expect(status, "a notification"); }, nullptr));
    }

    std::mt19937_64 random_;
    const uint64_t leak_;
    const int32_t device_;
    std::array<gs_stream_t, kStreams> streams_{};
    std::array<gs_event_t, kEvents> events_{};
};

struct Sample {
    double resident = 0; // MiB
    double device = 0;   // MiB in use on device 0, by all programs
    uint64_t stream_misses = 0;
    uint64_t event_misses = 0;
};

Sample take_sample() {
    Sample sample;
    unsigned long pages = 0;
    if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*u %lu", &pages) != 1) expect(GS_ERROR_SYSTEM, "/proc/self/statm");
        std::fclose(file);
    }
    sample.resident = static_cast<double>(pages) * 4096 / kMiB;
    gs_telemetry_t memory{};
    memory.struct_size = sizeof memory;
    DO(gs_device_get_telemetry(0, GS_TELEMETRY_MEMORY, &memory));
    sample.device = static_cast<double>(memory.memory_used_bytes) / kMiB;
    gs_stats_t stats{};
    stats.struct_size = sizeof stats;
    DO(gs_get_stats(&stats));
    sample.stream_misses = stats.stream_pool_misses;
    sample.event_misses = stats.event_pool_misses;
    return sample;
}

// The process must stay as it is once pools are full; counters of driver objects may only grow by what a pool lacks
// when more of its objects are pending than ever before.
bool flat(const std::vector<Sample> &samples) {
    const auto early = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 10 + 1);
    const double settled = std::max_element(samples.begin(), early, [](const Sample &a, const Sample &b) {
                               return a.resident < b.resident;
                           })->resident;
    const bool ok = samples.back().resident <= settled + kTolerance;
    std::printf("resident %.1f MiB after the first tenth, %.1f MiB at the end: %s\n", settled, samples.back().resident,
                ok ? "flat" : "GROWS");
    return ok;
}

int run(const Settings &settings) {
    int32_t devices = 0;
    DO(gs_device_count(GS_BACKEND_DEFAULT, &devices));
    if (g_failed || devices < 1) return 1;
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < settings.threads; ++t)
        threads.emplace_back([&, t] {
            User user(settings, t, devices);
            while (!g_failed && g_calls.fetch_add(kShare) < settings.calls) user.calls(kShare);
        });
    std::printf("%12s %8s %13s %11s %14s %14s\n", "calls", "s", "resident MiB", "device MiB", "stream misses",
                "event misses");
    std::vector<Sample> samples;
    for (uint64_t at = 1; at <= kSamples && !g_failed;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (g_calls.load() < settings.calls / kSamples * at) continue;
        ++at;
        samples.push_back(take_sample());
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        const Sample &last = samples.back();
        std::printf("%12llu %8.1f %13.1f %11.1f %14llu %14llu\n", static_cast<unsigned long long>(g_calls.load()),
                    took.count(), last.resident, last.device, static_cast<unsigned long long>(last.stream_misses),
                    static_cast<unsigned long long>(last.event_misses));
        std::fflush(stdout);
    }
    for (std::thread &thread : threads) thread.join();
    DO(gs_trim());
    return !g_failed && flat(samples) ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
    Settings settings;
    for (int i = 1; i < argc; i += 2) {
        uint64_t *to = std::strcmp(argv[i], "--calls") == 0     ? &settings.calls
                       : std::strcmp(argv[i], "--threads") == 0 ? &settings.threads
                       : std::strcmp(argv[i], "--seed") == 0    ? &settings.seed
                       : std::strcmp(argv[i], "--leak") == 0    ? &settings.leak
                                                                : nullptr;
        char *end = nullptr;
        if (to && i + 1 < argc) *to = std::strtoull(argv[i + 1], &end, 10);
        if (!to || !end || end == argv[i + 1] || *end != '\0') {
            std::fprintf(stderr, "usage: %s [--calls N] [--threads N] [--seed N] [--leak N]\n", argv[0]);
            return 2;
        }
    }
    return run(settings);
}
