// SPDX-License-Identifier: Apache-2.0
// Timelines of processes on different backends and devices.
#include "timeline_peer.hpp"

namespace gs::test {
namespace {

#if defined(GS_TEST_FAKE_CUDA)
// What is shared is memory: the backends need not agree.
TEST(SharedTimelinesAcross, BackendsShareOne) {
    SharedFolder folder;
    TimelinePeer host(peer_variables(folder, On::Host)), cuda(peer_variables(folder, On::FakeCuda));
    host.share({&cuda});
    cuda.ok({"wait 1", "mark", "signal 2"});
    EXPECT_EQ(cuda.say("marked"), "0");
    host.ok({"wait 2", "mark", "signal 3"});
    host.ok({"set 1", "sync 3"});
    cuda.ok({"sync 3", "finish", "close"});
    host.ok({"finish", "close"});
    EXPECT_EQ(cuda.say("marked"), "1");
    EXPECT_EQ(host.say("marked"), "1");
    host.end();
    cuda.end();
}

TEST(SharedTimelinesAcross, WordsOf32BitsAreRefused) {
    SharedFolder folder;
    TimelinePeer wide(peer_variables(folder, On::FakeCuda));
    TimelinePeer narrow(peer_variables(folder, On::FakeCuda, {{"FAKE_CUDA_NARROW_VALUES", "1"}}));
    EXPECT_EQ(narrow.say("make"), "GS_ERROR_NOT_SUPPORTED");
    EXPECT_EQ(narrow.say("open " + wide.share({})), "GS_ERROR_NOT_SUPPORTED");
    wide.ok({"set 1", "close"});
    EXPECT_EQ(folder.files(), 0u);
    narrow.end();
    wide.end();
}
#endif

} // namespace
} // namespace gs::test
