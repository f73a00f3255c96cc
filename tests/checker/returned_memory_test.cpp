// SPDX-License-Identifier: Apache-2.0
// Right programs to which the heap gives the same addresses again: nothing is reported.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <thread>

#include "checker/reports.hpp"

namespace gs::check::test {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHeapRepeats = false; // the sanitizer keeps what was freed
#else
constexpr bool kHeapRepeats = true;
#endif

constexpr size_t kBytes = size_t{1} << 17;
constexpr int kRounds = 50;

struct Free {
    void operator()(void *memory) const noexcept { std::free(memory); }
};
using Heap = std::unique_ptr<void, Free>;

Heap heap_memory() {
    Heap memory(std::malloc(kBytes));
    std::memset(memory.get(), 1, kBytes);
    return memory;
}

// Addresses that were device memory, and how often the heap has given one of them since.
class Returned {
public:
    void add(const void *memory) { all_.insert(number(memory)); }
    void count(const void *memory) {
        const auto next = all_.lower_bound(number(memory) > kBytes ? number(memory) - kBytes + 1 : 0);
        again_ += next != all_.end() && *next < number(memory) + kBytes;
    }
    size_t again() const noexcept { return again_; }

private:
    static uintptr_t number(const void *memory) noexcept { return reinterpret_cast<uintptr_t>(memory); }
    std::set<uintptr_t> all_;
    size_t again_ = 0;
};

TEST(ReturnedMemory, OfFreedBlocks) {
    Checking checking(GS_CHECK_STACKS);
    Returned returned;
    Heap source;
    for (int i = 0; i < kRounds; ++i) {
        source = heap_memory(); // beside the last round's, so that it takes the place of what the backend gave back
        returned.count(source.get());
        Stream stream = make_stream(0);
        void *memory = nullptr;
        ASSERT_OK(gs_malloc_async(kBytes, stream, &memory));
        ASSERT_OK(gs_memcpy_async(memory, source.get(), kBytes, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        ASSERT_OK(gs_free_async(memory, stream));
        returned.add(memory);
        ASSERT_OK(gs_stream_destroy(stream.release()));
        ASSERT_OK(gs_trim());
    }
    EXPECT_EQ(checking.count(), 0u);
    if (kHeapRepeats) EXPECT_GT(returned.again(), 0u);
}

// The heap maps so much by itself each time, at the place that has just become free. Nothing touches it.
TEST(ReturnedMemory, OfGraphs) {
    constexpr size_t kMapped = size_t{48} << 20;
    Checking checking;
    Returned returned;
    for (int i = 0; i < kRounds; ++i) {
        Stream stream = make_stream(0), other = make_stream(0);
        void *memory = nullptr, *small = nullptr;
        gs_graph_t graph = nullptr;
        gs_graph_exec_t exec = nullptr;
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        ASSERT_OK(gs_malloc_async(kMapped, stream, &memory));
        ASSERT_OK(gs_free_async(memory, stream));
        ASSERT_OK(gs_stream_end_capture(stream, &graph));
        ASSERT_OK(gs_graph_instantiate(graph, 0, &exec));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        int done = 0;
        while (!done) ASSERT_OK(gs_stream_query(stream, &done));
        ASSERT_OK(gs_graph_exec_launch(exec, stream)); // this thread never sees its end
        ASSERT_OK(gs_graph_exec_destroy(exec));
        ASSERT_OK(gs_graph_destroy(graph));
        ASSERT_OK(gs_stream_destroy(stream.release()));
        returned.add(memory);
        // The backend looks for memory of graphs that have ended.
        ASSERT_OK(gs_stream_begin_capture(other, GS_CAPTURE_RELAXED));
        ASSERT_OK(gs_malloc_async(64, other, &small));
        ASSERT_OK(gs_stream_abort_capture(other));
        const Heap heap(std::malloc(kMapped));
        returned.count(heap.get());
        ASSERT_OK(gs_check_read(other, heap.get(), kMapped, "heap"));
        ASSERT_OK(gs_stream_synchronize(other));
    }
    EXPECT_EQ(checking.count(), 0u);
    if (kHeapRepeats) EXPECT_GT(returned.again(), 0u);
}

// What one thread frees to the heap another may get from it. Memory of the library stays what it is.
TEST(ReturnedMemory, OfAnotherThread) {
    for (const bool of_library : {false, true}) {
        Heap heap = heap_memory();
        void *pinned = nullptr;
        ASSERT_OK(gs_malloc_host(kBytes, &pinned));
        {
            Checking checking;
            Stream copy = make_stream(0), compute = make_stream(0), side = make_stream(0);
            void *memory = of_library ? pinned : heap.get();
            if (of_library) {
                ASSERT_OK(gs_free_host(pinned)); // and again, so that the checker hears of it
                ASSERT_OK(gs_malloc_host(kBytes, &pinned));
                memory = pinned;
            }
            std::atomic<int> turn{0};
            std::thread other([&] {
                EXPECT_OK(gs_check_read(side, &turn, 1, "hello")); // the checker knows the thread from here on
                turn = 1;
                while (turn != 2) std::this_thread::yield();
                EXPECT_OK(gs_check_write(compute, memory, kBytes, "its next owner"));
                turn = 3;
                while (turn != 4) std::this_thread::yield();
            });
            while (turn != 1) std::this_thread::yield();
            ASSERT_OK(gs_check_write(copy, memory, kBytes, "its first owner"));
            ASSERT_OK(gs_stream_synchronize(copy));
            turn = 2;
            while (turn != 3) std::this_thread::yield();
            EXPECT_EQ(checking.count(), of_library ? 1u : 0u) << of_library;
            turn = 4;
            other.join();
        }
        ASSERT_OK(gs_free_host(pinned));
    }
}

} // namespace
} // namespace gs::check::test
