// SPDX-License-Identifier: Apache-2.0
// Memory and copies.
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "objects.hpp"
#include "pairs.hpp"

namespace paired {
namespace {

constexpr size_t kBytes = 4096;

uint64_t word_of(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

void add_memory(Pairs &pairs) {
    StreamPair stream;
    const auto settle = [&] { stream.settle(); };
    uint64_t theirs = 0;
    void *ours = nullptr;
    pairs.add(
        "malloc_async + free_async", 50,
        [&](int) {
            int failed = g_driver.malloc_async(&theirs, kBytes, stream.theirs);
            failed |= g_driver.free_async(theirs, stream.theirs);
            return failed;
        },
        [&](int) {
            int failed = gs_malloc_async(kBytes, stream.ours, &ours);
            failed |= gs_free_async(ours, stream.ours);
            return failed;
        },
        settle);
    void *from = nullptr, *to = nullptr;
    (void)gs_malloc_async(kBytes, stream.ours, &from);
    (void)gs_malloc_async(kBytes, stream.ours, &to);
    stream.settle();
    pairs.add(
        "memcpy_async, 4 KiB on the device", 50,
        [&](int) { return g_driver.memcpy_async(word_of(to), word_of(from), kBytes, stream.theirs); },
        [&](int) { return gs_memcpy_async(to, from, kBytes, stream.ours); }, settle);
    pairs.add(
        "memset_async, 4 KiB", 50, [&](int) { return g_driver.memset_async(word_of(to), 1, kBytes, stream.theirs); },
        [&](int) { return gs_memset_async(to, 1, kBytes, stream.ours); }, settle);
    (void)gs_free_async(from, stream.ours);
    (void)gs_free_async(to, stream.ours);
}

// Page-locked memory to the device, in one call and in one call for each piece; until the calls return, and until all is copied.
void add_batches(Pairs &pairs) {
    constexpr size_t kMost = 1000;
    StreamPair stream;
    void *device = nullptr, *host = nullptr;
    (void)gs_malloc_async(kMost * kBytes, stream.ours, &device);
    (void)gs_malloc_host(kMost * kBytes, &host);
    std::vector<gs_copy_t> copies(kMost);
    for (size_t i = 0; i < kMost; ++i)
        copies[i] = {static_cast<char *>(device) + i * kBytes, static_cast<char *>(host) + i * kBytes, kBytes};
    const auto settle = [&] { stream.settle(); };
    for (const bool until_done : {false, true})
        for (const size_t count : {size_t{2}, size_t{10}, size_t{100}, kMost}) {
            const auto end = [&] { return until_done ? gs_stream_synchronize(stream.ours) : GS_OK; };
            const std::string call = std::string("memcpy_batch_async, ") + std::to_string(count) + " copies of 4 KiB" +
                                     (until_done ? " until done" : "") + ", beside memcpy_async";
            pairs.add_beside(
                call.c_str(), static_cast<int>(kMost / 5 / count) + 1,
                [&](int) {
                    int failed = 0;
                    for (size_t i = 0; i < count; ++i)
                        failed |= gs_memcpy_async(copies[i].dst, copies[i].src, copies[i].bytes, stream.ours);
                    return failed | end();
                },
                [&](int) {
                    return gs_memcpy_batch_async(copies.data(), count, GS_ACCESS_ORDER_STREAM, stream.ours) | end();
                },
                settle);
        }
    (void)gs_free_async(device, stream.ours);
    stream.settle();
    (void)gs_free_host(host);
}

// A thread that does what it is given, one thing at a time.
class OtherThread {
public:
    ~OtherThread() {
        run(nullptr);
        thread_.join();
    }
    // Returns when it is done.
    void run(const std::function<void()> &work) {
        std::unique_lock lock(mutex_);
        work_ = work;
        given_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return !given_; });
    }

private:
    void serve() {
        std::unique_lock lock(mutex_);
        for (bool more = true; more;) {
            changed_.wait(lock, [&] { return given_; });
            more = work_ != nullptr;
            if (more) work_();
            given_ = false;
            changed_.notify_all();
        }
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> work_;
    bool given_ = false;
    std::thread thread_{[this] { serve(); }};
};

// What one thread allocates, another frees, in one stream: each side has its row.
void add_memory_of_two_threads(Pairs &pairs) {
    constexpr int kBlocks = 16;
    const int blocks = pairs.scaled(kBlocks);
    StreamPair stream;
    OtherThread other;
    std::vector<uint64_t> theirs(static_cast<size_t>(blocks));
    std::vector<void *> ours(static_cast<size_t>(blocks));
    const auto give = [&](int i) {
        const int failed = gs_free_async(ours[static_cast<size_t>(i)], stream.ours);
        ours[static_cast<size_t>(i)] = nullptr;
        return failed;
    };
    const auto give_theirs = [&](int i) {
        const int failed = g_driver.free_async(theirs[static_cast<size_t>(i)], stream.theirs);
        theirs[static_cast<size_t>(i)] = 0;
        return failed;
    };
    const auto take = [&](int i) { return gs_malloc_async(kBytes, stream.ours, &ours[static_cast<size_t>(i)]); };
    const auto take_theirs = [&](int i) {
        return g_driver.malloc_async(&theirs[static_cast<size_t>(i)], kBytes, stream.theirs);
    };
    const auto give_all = [&] {
        (void)g_driver.set_context(g_driver.context);
        for (int i = 0; i < blocks; ++i) {
            if (theirs[static_cast<size_t>(i)] != 0) (void)give_theirs(i);
            if (ours[static_cast<size_t>(i)]) (void)give(i);
        }
    };
    const auto take_all = [&] {
        (void)g_driver.set_context(g_driver.context);
        for (int i = 0; i < blocks; ++i) {
            if (theirs[static_cast<size_t>(i)] == 0) (void)take_theirs(i);
            if (!ours[static_cast<size_t>(i)]) (void)take(i);
        }
    };
    const auto settle = [&](const std::function<void()> &work) {
        stream.settle();
        other.run(work);
    };
    pairs.add("malloc_async of what another thread frees", kBlocks, take_theirs, take, [&] { settle(give_all); });
    pairs.add("free_async of what another thread allocates", kBlocks, give_theirs, give, [&] { settle(take_all); });
    settle(give_all);
    stream.settle();
}

} // namespace

void add_memory_rows(Pairs &pairs) {
    add_memory(pairs);
    add_batches(pairs);
    add_memory_of_two_threads(pairs);
}

} // namespace paired
