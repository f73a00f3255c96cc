// SPDX-License-Identifier: Apache-2.0
// Case 19: an event exported by one process and opened by another. No test depends on time: a waiting
// host function holds back what must not happen, and the test waits for what must happen.
#include <gtest/gtest.h>
#include <signal.h>

#include "ipc.hpp"

namespace gs::test {
namespace {

TEST(Ipc, AnEventNeverRecordedIsDone) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(b.say("open " + a.create_and_export()), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    EXPECT_EQ(b.say("wait"), "GS_OK");
    EXPECT_EQ(b.say("finish"), "GS_OK");
    EXPECT_EQ(b.say("synchronize"), "GS_OK");
    EXPECT_EQ(b.say("destroy"), "GS_OK");
    EXPECT_EQ(a.say("destroy"), "GS_OK");
    EXPECT_EQ(folder.files(), 0u);
    b.end();
    a.end();
}

TEST(Ipc, WorkWaitsForTheOtherProcess) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(b.say("open " + a.create_and_export()), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 0");
    EXPECT_EQ(b.say("wait"), "GS_OK");
    EXPECT_EQ(b.say("mark"), "GS_OK");
    EXPECT_EQ(b.say("marked"), "0");
    EXPECT_EQ(b.say("query"), "GS_OK 0");
    EXPECT_EQ(a.say("release"), "GS_OK");
    EXPECT_EQ(b.say("synchronize"), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    EXPECT_EQ(b.say("finish"), "GS_OK");
    EXPECT_EQ(b.say("marked"), "1");
    b.end();
    a.end();
}

// A record that is pending when the event is exported counts as well.
TEST(Ipc, ARecordFromBeforeTheExport) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(a.say("create"), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    const std::string exported = a.say("export");
    EXPECT_EQ(b.say("open " + exported.substr(6)), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 0");
    EXPECT_EQ(b.say("wait"), "GS_OK");
    EXPECT_EQ(b.say("mark"), "GS_OK");
    EXPECT_EQ(b.say("marked"), "0");
    EXPECT_EQ(a.say("release"), "GS_OK");
    EXPECT_EQ(b.say("finish"), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    b.end();
    a.end();
}

TEST(Ipc, AWaitKeepsToTheRecordThatWasCurrent) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(b.say("open " + a.create_and_export()), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(b.say("wait"), "GS_OK"); // for the first record
    EXPECT_EQ(b.say("mark"), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(a.say("release"), "GS_OK"); // the first hold only
    EXPECT_EQ(b.say("finish"), "GS_OK");
    EXPECT_EQ(b.say("marked"), "1");
    EXPECT_EQ(b.say("query"), "GS_OK 0"); // of the second record
    EXPECT_EQ(a.say("release"), "GS_OK");
    EXPECT_EQ(b.say("synchronize"), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 1");
    b.end();
    a.end();
}

// However many records follow, in whatever stream.
TEST(Ipc, AWaitOutlastsManyLaterRecords) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(b.say("open " + a.create_and_export()), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(b.say("wait"), "GS_OK");
    EXPECT_EQ(b.say("mark"), "GS_OK");
    EXPECT_EQ(a.say("stream"), "GS_OK"); // the next records are in another, idle one
    EXPECT_EQ(a.say("records 100000"), "GS_OK");
    EXPECT_EQ(b.say("synchronize"), "GS_OK"); // the newest one is complete
    EXPECT_EQ(b.say("pending"), "GS_OK 0");
    EXPECT_EQ(b.say("marked"), "0");
    EXPECT_EQ(a.say("release"), "GS_OK");
    EXPECT_EQ(b.say("finish"), "GS_OK");
    EXPECT_EQ(b.say("marked"), "1");
    b.end();
    a.end();
}

TEST(Ipc, TheImporterRecords) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(b.say("open " + a.create_and_export()), "GS_OK");
    EXPECT_EQ(b.say("hold"), "GS_OK");
    EXPECT_EQ(b.say("record"), "GS_OK");
    EXPECT_EQ(a.say("query"), "GS_OK 0");
    EXPECT_EQ(a.say("wait"), "GS_OK");
    EXPECT_EQ(a.say("mark"), "GS_OK");
    EXPECT_EQ(a.say("marked"), "0");
    EXPECT_EQ(b.say("release"), "GS_OK");
    EXPECT_EQ(a.say("finish"), "GS_OK");
    EXPECT_EQ(a.say("marked"), "1");
    EXPECT_EQ(a.say("query"), "GS_OK 1");
    b.end();
    a.end();
}

TEST(Ipc, ThreeProcessesInARow) {
    SharedFolder folder;
    Peer a(folder), b(folder), c(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(b.say("open " + handle), "GS_OK");
    EXPECT_EQ(c.say("open " + handle), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    for (Peer *peer : {&b, &c}) {
        EXPECT_EQ(peer->say("wait"), "GS_OK");
        EXPECT_EQ(peer->say("mark"), "GS_OK");
        EXPECT_EQ(peer->say("marked"), "0");
    }
    EXPECT_EQ(a.say("release"), "GS_OK");
    for (Peer *peer : {&b, &c}) {
        EXPECT_EQ(peer->say("finish"), "GS_OK");
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
    EXPECT_EQ(b.say("open " + handle), "GS_OK");
    EXPECT_EQ(b.say("export").substr(0, 22), "GS_ERROR_NOT_SUPPORTED"); // not its own
    EXPECT_EQ(b.say("plain"), "GS_OK");
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
    EXPECT_EQ(b.say("open " + good), "GS_OK"); // and the good one still works
    b.end();
    a.end();
}

TEST(Ipc, AForkedChildUnlinksNothing) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_EQ(a.say("fork"), "GS_OK");
    EXPECT_EQ(folder.files(), 1u);
    EXPECT_EQ(b.say("open " + handle), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(b.say("synchronize"), "GS_OK");
    EXPECT_EQ(a.say("destroy"), "GS_OK");
    EXPECT_EQ(folder.files(), 0u);
    b.end();
    a.end();
}

} // namespace
} // namespace gs::test
