// SPDX-License-Identifier: Apache-2.0
// Two threads add points of one stream: one of them records first, and the other gives its point to the scanner first.
#include <thread>

#include "core/completion/point.hpp"
#include "core/lookup.hpp"
#include "fault/inject.hpp"
#include "handle/grace.hpp"
#include "handle/handle_bits.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

struct Told : Point {
    std::atomic<bool> over{false};

    Told() {
        reached = [](Point &point, bool) noexcept { static_cast<Told &>(point).over = true; };
    }
    void wait() const {
        while (!over) std::this_thread::yield();
    }
};

// As a call of the thread does it, up to the moment at which the scanner gets the point.
void record(gs_stream_t handle, Told &told) {
    ThreadBlock &thread = *this_thread();
    const CallMark mark(thread);
    StreamSlot *stream = find_stream(thread, handle_bits(handle));
    ASSERT_NE(stream, nullptr);
    ASSERT_TRUE(mark_stream(thread, *stream, told).ok());
}

} // namespace

// One that is done does not answer for those in front of it that another thread has recorded later.
TEST(PointOrder, APointIsNotReachedBeforeItsWork) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    ASSERT_TRUE(start_scanner().ok());
    Stream stream = make_stream(0);
    for (int round = 0; round < 50; ++round) {
        Told first, second, early, late;
        Gate gate, later;
        ASSERT_OK(gate.hold(stream));
        for (Told *told : {&first, &second}) {
            record(stream, *told);
            watch_point(*told);
        }
        record(stream, early); // its thread stops here
        std::thread([&] {
            EXPECT_OK(later.hold(stream));
            record(stream, late);
            watch_point(late);
        }).join();
        watch_point(early);
        gate.open();
        for (Told *told : {&first, &second, &early}) told->wait();
        EXPECT_FALSE(late.over) << "round " << round << ": the work before it is not done";
        later.open();
        late.wait();
    }
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace gs::test
