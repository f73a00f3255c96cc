// SPDX-License-Identifier: Apache-2.0
// Case 19: an event exported by one process and opened by another. Time decides nothing: a waiting host function holds
// back what must come later, and the test waits for what must happen.
#include <gtest/gtest.h>
#include <signal.h>

#include "ipc.hpp"

namespace gs::test {
namespace {

TEST(Ipc, AnEventNeverRecordedIsDone) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    b.ok({"wait", "finish", "synchronize", "destroy"});
    a.ok({"destroy"});
    EXPECT_EQ(folder.files(), 0u);
    peers.end();
}

TEST(Ipc, WorkWaitsForTheOtherProcess) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    a.ok({"hold", "record"});
    EXPECT_EQ(b.say("query"), "GS_OK 0");
    b.ok({"wait", "mark"});
    EXPECT_EQ(b.say("marked"), "0");
    EXPECT_EQ(b.say("query"), "GS_OK 0");
    a.ok({"release"});
    b.ok({"synchronize"});
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    peers.end();
}

// A record that is pending when the event is exported counts as well.
TEST(Ipc, ARecordFromBeforeTheExport) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    a.ok({"create", "hold", "record"});
    const std::string exported = a.say("export");
    EXPECT_EQ(b.say("open " + exported.substr(6)), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 0");
    b.ok({"wait", "mark"});
    EXPECT_EQ(b.say("marked"), "0");
    a.ok({"release"});
    b.ok({"finish"});
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    b.end();
    a.end();
}

TEST(Ipc, AWaitKeepsToTheRecordThatWasCurrent) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    a.ok({"hold", "record"});
    b.ok({"wait"}); // for the first record
    b.ok({"mark"});
    a.ok({"hold", "record", "release"}); // the first hold only
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    EXPECT_EQ(b.say("query"), "GS_OK 0"); // of the second record
    a.ok({"release"});
    b.ok({"synchronize"});
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    peers.end();
}

// However many records follow, in whatever stream.
TEST(Ipc, AWaitOutlastsManyLaterRecords) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    a.ok({"hold", "record"});
    b.ok({"wait", "mark"});
    a.ok({"stream"}); // the next records are in another, idle one
    a.ok({"records 100000"});
    b.ok({"synchronize"}); // the newest one is complete
    EXPECT_EQ(b.say("pending"), "GS_OK 0");
    EXPECT_EQ(b.say("marked"), "0");
    a.ok({"release"});
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    peers.end();
}

TEST(Ipc, TheImporterRecords) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    b.ok({"hold", "record"});
    EXPECT_EQ(a.say("query"), "GS_OK 0");
    a.ok({"wait", "mark"});
    EXPECT_EQ(a.say("marked"), "0");
    b.ok({"release"});
    a.ok({"finish"});
    EXPECT_EQ(a.say("marked"), "1");
    EXPECT_EQ(a.say("query"), "GS_OK 1");
    peers.end();
}

TEST(Ipc, ThreeProcessesInARow) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    Peer c(folder);
    c.ok({"open " + handle});
    a.ok({"hold", "record"});
    for (Peer *peer : {&b, &c}) {
        peer->ok({"wait", "mark"});
        EXPECT_EQ(peer->say("marked"), "0");
    }
    a.ok({"release"});
    for (Peer *peer : {&b, &c}) {
        peer->ok({"finish"});
        EXPECT_EQ(peer->say("marked"), "1");
        peer->end();
    }
    a.end();
}

TEST(Ipc, WhatIsNotSupported) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(a.say("open " + handle), "GS_ERROR_NOT_SUPPORTED"); // its own
    b.ok({"open " + handle});
    EXPECT_EQ(b.say("export").substr(0, 22), "GS_ERROR_NOT_SUPPORTED"); // not its own
    b.ok({"plain"});
    EXPECT_EQ(b.say("export").substr(0, 25), "GS_ERROR_INVALID_ARGUMENT");
    b.end();
    a.end();
}

TEST(Ipc, EveryCorruptedByteIsNoticed) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    const std::string good = a.create_and_export();
    for (size_t i = 0; i < good.size(); ++i) {
        std::string bad = good;
        bad[i] = bad[i] == '0' ? '1' : '0';
        if (bad == good) continue;
        EXPECT_EQ(b.say("open " + bad), "GS_ERROR_INVALID_ARGUMENT") << "digit " << i;
    }
    EXPECT_EQ(b.say("open " + std::string(128, '0')), "GS_ERROR_INVALID_ARGUMENT");
    EXPECT_EQ(b.say("open " + std::string(128, 'f')), "GS_ERROR_INVALID_ARGUMENT");
    b.ok({"open " + good}); // and the good one still works
    b.end();
    a.end();
}

TEST(Ipc, AForkedChildUnlinksNothing) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(folder.files(), 1u);
    a.ok({"fork"});
    EXPECT_EQ(folder.files(), 1u);
    b.ok({"open " + handle});
    a.ok({"record"});
    b.ok({"synchronize"});
    a.ok({"destroy"});
    EXPECT_EQ(folder.files(), 0u);
    b.end();
    a.end();
}

// A process that once had records pending in all lanes of an arena keeps a few of these, not all.
TEST(Ipc, LanesThatAreIdleAreLeftToOthers) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    constexpr int kLanes = 383;
    for (int i = 0; i < kLanes; ++i) a.ok({"stream", "hold", "record"});
    b.ok({"hold"});
    EXPECT_EQ(b.say("record"), "GS_ERROR_OUT_OF_MEMORY");
    for (int i = 0; i < kLanes; ++i) a.ok({"release"});
    while (b.say("record") != "GS_OK") sched_yield(); // the streams of the other process end
    b.ok({"release", "synchronize"});
    a.end();
    b.end();
}

} // namespace
} // namespace gs::test
