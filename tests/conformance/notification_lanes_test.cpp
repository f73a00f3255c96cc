// SPDX-License-Identifier: Apache-2.0
// A notification waits for its own stream only: others are delivered while one stream is held.
#include <atomic>
#include <thread>

#include "conformance/conformance.hpp"

namespace gs::test {
namespace {

class Told {
public:
    gs_status_t ask(gs_stream_t stream) { return gs_stream_notify(stream, &Told::tell, this); }
    void wait() const {
        while (!told_) std::this_thread::yield();
    }
    bool told() const { return told_; }

private:
    static void tell(void *self, gs_status_t status) {
        EXPECT_EQ(status, GS_OK);
        static_cast<Told *>(self)->told_ = true;
    }
    std::atomic<bool> told_{false};
};

} // namespace

TEST_P(Conformance, Notify_StreamsOfOneThreadDoNotWaitForEachOther) {
    Stream held = make_stream(), free = make_stream();
    Told late, early;
    Gate gate;
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(late.ask(held));
    ASSERT_OK(early.ask(free));
    early.wait();
    EXPECT_FALSE(late.told());
    gate.open();
    late.wait();
}

// The handle of the per-thread stream is one, its streams are as many as threads. Eight threads: some of them have
// numbers that differ in their last bits only.
TEST_P(Conformance, Notify_PerThreadStreamsDoNotWaitForEachOther) {
    Told late;
    Gate gate;
    ASSERT_OK(gate.hold(per_thread_stream()));
    ASSERT_OK(late.ask(per_thread_stream()));
    for (int i = 0; i < 8; ++i) {
        std::thread([] {
            Told early;
            ASSERT_OK(early.ask(per_thread_stream()));
            early.wait();
        }).join();
    }
    EXPECT_FALSE(late.told());
    gate.open();
    late.wait();
}

} // namespace gs::test
