// SPDX-License-Identifier: Apache-2.0
// Buffers and the streams in which they are used.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "cpp/failure_of.hpp"

using namespace gpustream;
using gpustream::test::failure_of;

namespace {

// Holds streams until it is opened, so that their work is certainly not done.
class gate {
public:
    ~gate() { open(); }
    void hold(stream_ref held) {
        held.launch_host([this] {
            while (!open_.load()) std::this_thread::yield();
        });
        held_.push_back(held);
    }
    void open() {
        open_ = true;
        for (const stream_ref stream : held_) stream.synchronize();
        held_.clear();
    }

private:
    std::atomic<bool> open_{false};
    std::vector<stream_ref> held_;
};

std::vector<int> contents(buffer &memory, stream_ref on) {
    std::vector<unsigned char> bytes(memory.size());
    memory.copy_to(bytes.data(), bytes.size(), on);
    on.synchronize();
    return {bytes.begin(), bytes.end()};
}

TEST(Buffers, WorkInTheCurrentStreamOrTheOneThatIsNamed) {
    const stream own = stream::create(), named = stream::create(), held = stream::create();
    buffer memory = buffer::create(4, own);
    buffer source = buffer::create(2, own);
    source.fill(1, own);
    own.synchronize();
    const unsigned char nine = 9;
    gate closed;
    closed.hold(held);
    {
        const stream_guard current(held);
        memory.fill(2);
        memory.copy_from(source);
        memory.copy_from(&nine, 1);
    }
    memory.fill(3, named);
    EXPECT_EQ(contents(memory, named), (std::vector<int>{3, 3, 3, 3})) << "the held stream is not waited for";
    closed.open();
    EXPECT_EQ(contents(memory, held), (std::vector<int>{9, 1, 2, 2}));
    EXPECT_EQ(failure_of([&] { source.copy_from(memory); }), status::invalid_argument);
    EXPECT_EQ(failure_of([&] { source.copy_from(&nine, 3); }), status::invalid_argument);
    EXPECT_EQ(failure_of([&] { source.copy_to(nullptr, 3); }), status::invalid_argument);
    EXPECT_EQ(failure_of([&] { memory.fill(1, stream_ref()); }), status::invalid_handle);
    source.close();
    EXPECT_EQ(failure_of([&] { source.fill(1, own); }), status::invalid_handle) << "it is closed";
    EXPECT_EQ(failure_of([&] { memory.copy_from(source, own); }), status::invalid_handle);
}

TEST(Buffers, TheirDeviceSaysWhichStreamIsCurrent) {
    const stream there = stream::create(1), here = stream::create(0);
    buffer memory = buffer::create(8, there);
    gate closed;
    closed.hold(there);
    const stream_guard outer(there), inner(here);
    memory.fill(1);
    EXPECT_TRUE(here.query());
    EXPECT_FALSE(there.query());
}

TEST(Buffers, TheFirstUseElsewhereWaitsForTheAllocation) {
    const stream own = stream::create(), other = stream::create(), late = stream::create();
    gate closed, again;
    closed.hold(own);
    buffer memory = buffer::create(8, own);
    memory.fill(1, other);
    EXPECT_FALSE(other.query());
    closed.open();
    other.synchronize();
    again.hold(own);
    memory.fill(2, late); // the allocation is known to be done
    EXPECT_EQ(contents(memory, late), std::vector<int>(8, 2));
    EXPECT_FALSE(own.query());
}

TEST(Buffers, AreFreedBehindAllStreamsThatUseThem) {
    for (const bool by_address : {false, true}) {
        const stream own = stream::create(), user = stream::create();
        buffer source = buffer::create(64, own), target = buffer::create(64, user);
        source.fill(7, own);
        own.synchronize();
        gate closed;
        closed.hold(user);
        void *address = source.data();
        if (by_address) {
            source.record_stream(user);
            copy(target.data(), address, 64, user);
        } else {
            target.copy_from(source, user);
        }
        source = buffer();
        buffer next = buffer::create(64, own); // at once, in the order of the other stream
        EXPECT_NE(next.data(), address);
        next.fill(9, own);
        own.synchronize();
        closed.open();
        EXPECT_EQ(contents(target, user), std::vector<int>(64, 7));
    }
}

// It is another stream on each thread.
TEST(Buffers, OfAPerThreadStreamAreFreedBehindThatOfItsThread) {
    const pool poisoned = pool::create({pool_flags::poison, 0, 0}); // shows when the memory is freed
    const host_buffer seen = host_buffer::create(8);
    buffer made;
    gate closed;
    std::thread([&] {
        const stream_ref own = per_thread_stream();
        made = buffer::create(8, own, poisoned);
        made.fill(7, own);
        closed.hold(own);
        made.copy_to(seen.data(), 8, own);
    }).join();
    made.close();
    static_cast<stream_ref>(per_thread_stream()).synchronize();
    closed.open();
    device::current().synchronize();
    EXPECT_EQ(seen.as<unsigned char>()[0], 7);
}

TEST(Buffers, ACaptureRecordsWhatItsStreamIsCurrentFor) {
    const stream own = stream::create(), work = stream::create();
    gate closed;
    closed.hold(own);
    buffer memory = buffer::create(8, own);
    const event allocated = event::create();
    own.record(allocated);
    graph recorded;
    {
        const stream_guard current(work);
        capture open(work);
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            closed.open();
        });
        memory.fill(5); // the host waits for the allocation, which no graph can
        EXPECT_TRUE(allocated.query());
        opener.join();
        recorded = open.end();
    }
    memory.fill(1, own);
    EXPECT_EQ(contents(memory, own), std::vector<int>(8, 1));
    recorded.instantiate().launch(work);
    EXPECT_EQ(contents(memory, work), std::vector<int>(8, 5));
}

TEST(Buffers, OfACaptureAreUsedAndFreedInIt) {
    const stream work = stream::create(), side = stream::create(), outside = stream::create();
    buffer result = buffer::create(8, work);
    capture open(work);
    side.wait(work);
    {
        buffer inside = buffer::create(8, work); // the graph's
        EXPECT_EQ(failure_of([&] { inside.fill(1, outside); }), status::capturing);
        inside.fill(6, side); // behind the node that allocates
        result.copy_from(inside, side);
        inside.close();
    }
    work.wait(side);
    const graph recorded = open.end();
    EXPECT_EQ(recorded.info().node_count, 4u); // the allocation, the fill, the copy and the free
    EXPECT_EQ(recorded.info().edge_count, 5u) << "the fill comes after the allocation, in another stream";
    const graph_exec ready = recorded.instantiate();
    for (int i = 0; i < 2; ++i) ready.launch(work);
    EXPECT_EQ(contents(result, work), std::vector<int>(8, 6));
}

TEST(Buffers, OfNoBytesTakePartInEverything) {
    const stream other = stream::create();
    buffer nothing = buffer::create(0), more = buffer::create(0, other);
    EXPECT_EQ(nothing.data(), nullptr);
    nothing.fill(1, other);
    nothing.copy_from(more);
    nothing.copy_from(nullptr, 0, other);
    nothing.copy_to(nullptr, 0);
    nothing.record_stream(other);
    nothing.close_after(other);
    more.close();
}

TEST(Buffers, ForgetStreamsThatAreDone) {
    buffer memory = buffer::create(8);
    gs_stream_t first = nullptr, recorded = nullptr;
    {
        const stream by_address = stream::create();
        recorded = by_address.get();
        memory.record_stream(by_address);
    }
    for (int i = 0; i < 40; ++i) {
        const stream work = stream::create();
        memory.fill(1, work);
        work.synchronize();
        if (i == 0) first = work.get();
    }
    EXPECT_EQ(failure_of([&] { stream_ref(first).query(); }), status::invalid_handle);
    EXPECT_TRUE(stream_ref(recorded).query()) << "it may be given work at any time";
}

} // namespace
