// SPDX-License-Identifier: Apache-2.0
// Interprocess events whose processes end, and shared memory that is not available.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ipc.hpp"

namespace gs::test {
namespace {

TEST(IpcCrash, TheExporterEndsAfterItsWorkWasDone) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(b.say("open " + handle), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(b.say("synchronize"), "GS_OK");
    a.end();
    EXPECT_EQ(b.say("query"), "GS_OK 1"); // done stays done
    Peer c(folder);
    EXPECT_EQ(c.say("open " + handle), "GS_ERROR_PEER_LOST");
    c.end();
    b.end();
}

TEST(IpcCrash, TheExporterIsKilledWithWorkPending) {
    SharedFolder folder;
    Peer a(folder), b(folder), waiting(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(b.say("open " + handle), "GS_OK");
    EXPECT_EQ(waiting.say("open " + handle), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(b.say("query"), "GS_OK 0");
    waiting.ask("synchronize"); // may be blocked already when the exporter dies
    a.kill();
    EXPECT_EQ(waiting.line(), "GS_ERROR_PEER_LOST");
    EXPECT_EQ(b.say("synchronize"), "GS_ERROR_PEER_LOST");
    b.end();
    waiting.end();
}

// A stream that waits for a process that dies must not stay stuck.
TEST(IpcCrash, AStreamThatWaitsForAKilledProcessGoesOnOrFails) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(b.say("open " + a.create_and_export()), "GS_OK");
    EXPECT_EQ(a.say("hold"), "GS_OK");
    EXPECT_EQ(a.say("record"), "GS_OK");
    EXPECT_EQ(b.say("wait"), "GS_OK");
    EXPECT_EQ(b.say("mark"), "GS_OK");
    a.kill();
    const std::string finished = b.say("finish");
    EXPECT_NE(finished, "(no answer)");
    EXPECT_NE(finished, "GS_OK") << "the work before the wait's end was never done";
    EXPECT_EQ(b.say("marked"), "0");
    b.end();
}

TEST(IpcCrash, TheImporterIsKilled) {
    SharedFolder folder;
    Peer a(folder);
    const std::string handle = a.create_and_export();
    {
        Peer b(folder);
        EXPECT_EQ(b.say("open " + handle), "GS_OK");
        EXPECT_EQ(a.say("hold"), "GS_OK");
        EXPECT_EQ(a.say("record"), "GS_OK");
        EXPECT_EQ(b.say("wait"), "GS_OK");
        b.kill();
    }
    EXPECT_EQ(a.say("release"), "GS_OK");
    EXPECT_EQ(a.say("synchronize"), "GS_OK");
    Peer c(folder); // and other processes can use the event
    EXPECT_EQ(c.say("open " + handle), "GS_OK");
    EXPECT_EQ(c.say("query"), "GS_OK 1");
    c.end();
    EXPECT_EQ(a.say("destroy"), "GS_OK");
    EXPECT_EQ(folder.files(), 0u);
    a.end();
}

// An importer that recorded and died: waiters for that record get a status.
TEST(IpcCrash, TheImporterIsKilledAfterItRecorded) {
    SharedFolder folder;
    Peer a(folder), b(folder);
    EXPECT_EQ(b.say("open " + a.create_and_export()), "GS_OK");
    EXPECT_EQ(b.say("hold"), "GS_OK");
    EXPECT_EQ(b.say("record"), "GS_OK");
    EXPECT_EQ(a.say("query"), "GS_OK 0");
    b.kill();
    EXPECT_EQ(a.say("synchronize"), "GS_ERROR_PEER_LOST");
    EXPECT_EQ(a.say("record"), "GS_OK"); // a new record repairs it
    EXPECT_EQ(a.say("synchronize"), "GS_OK");
    EXPECT_EQ(a.say("destroy"), "GS_OK");
    a.end();
}

// Killed at any moment: while it records in a busy stream, while records complete, while it takes or leaves lanes.
TEST(IpcCrash, ARecorderIsKilledAtAnyMoment) {
    SharedFolder folder;
    Peer a(folder), observer(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(observer.say("open " + handle), "GS_OK");
    int lost = 0;
    for (int i = 0; i < 60; ++i) {
        Peer b(folder);
        EXPECT_EQ(b.say("open " + handle), "GS_OK");
        b.ask("churn"); // records in streams that become busy and idle again, without end
        for (int q = 0; q < i; ++q) EXPECT_EQ(a.say("query").substr(0, 5), "GS_OK");
        EXPECT_EQ(observer.say("wait"), "GS_OK");
        b.kill();
        const std::string end = a.say("synchronize");
        EXPECT_TRUE(end == "GS_OK" || end == "GS_ERROR_PEER_LOST") << end;
        EXPECT_EQ(observer.say("synchronize"), end);
        const std::string finished = observer.say("finish"); // of an older record perhaps
        EXPECT_TRUE(finished == "GS_OK" || finished == "GS_ERROR_PEER_LOST") << finished;
        lost += end != "GS_OK";
        EXPECT_EQ(a.say("record"), "GS_OK");
        EXPECT_EQ(observer.say("synchronize"), "GS_OK");
        EXPECT_EQ(observer.say("stream"), "GS_OK"); // one that has not failed
    }
    RecordProperty("lost", lost);
    a.end();
    observer.end();
}

TEST(IpcCrash, ImportersComeAndGo) {
    SharedFolder folder;
    Peer a(folder);
    const std::string handle = a.create_and_export();
    for (int i = 0; i < 70; ++i) { // more than fit at once
        Peer b(folder);
        EXPECT_EQ(b.say("open " + handle), "GS_OK") << "importer " << i;
        i % 2 ? b.kill() : b.end();
    }
    a.end();
}

TEST(IpcCrash, NamesOfTheDeadAreSwept) {
    SharedFolder folder;
    for (int i = 0; i < 3; ++i) {
        Peer dead(folder);
        dead.create_and_export();
        dead.kill();
    }
    Peer a(folder);
    a.create_and_export();
    folder.await(1); // only its own
    EXPECT_EQ(a.say("destroy"), "GS_OK");
    EXPECT_EQ(folder.files(), 0u);
    a.end();
}

// Once lost, always lost until the next record, in every process.
TEST(IpcCrash, ALostRecordStaysLost) {
    SharedFolder folder;
    Peer a(folder), b(folder), c(folder);
    const std::string handle = a.create_and_export();
    EXPECT_EQ(b.say("open " + handle), "GS_OK");
    EXPECT_EQ(c.say("open " + handle), "GS_OK");
    EXPECT_EQ(b.say("hold"), "GS_OK");
    EXPECT_EQ(b.say("record"), "GS_OK");
    b.kill();
    EXPECT_EQ(a.say("synchronize"), "GS_ERROR_PEER_LOST");
    for (int i = 0; i < 50; ++i)
        for (Peer *peer : {&a, &c}) EXPECT_EQ(peer->say("query").substr(0, 18), "GS_ERROR_PEER_LOST") << i;
    EXPECT_EQ(c.say("record"), "GS_OK");
    EXPECT_EQ(a.say("query"), "GS_OK 1");
    EXPECT_EQ(c.say("query"), "GS_OK 1");
    a.end();
    c.end();
}

TEST(IpcCrash, NoFolderIsAStatus) {
    Peer a(Variables{{"GPUSTREAM_SHM_DIR", "/nowhere/at/all"}, {"GPUSTREAM_BACKEND", "host"}});
    EXPECT_EQ(a.say("create"), "GS_OK");
    EXPECT_EQ(a.say("export").substr(0, 15), "GS_ERROR_SYSTEM");
    EXPECT_EQ(a.say("record"), "GS_OK"); // the event itself is still usable
    EXPECT_EQ(a.say("synchronize"), "GS_OK");
    a.end();
}

// Not even room for one page: writing to the mapping would be SIGBUS.
TEST(IpcCrash, AFullFolderIsAStatus) {
    SharedFolder folder;
    if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=4k") != 0) {
        // Mounting is not permitted: files may not grow instead.
        rlimit before{}, none{0, 0};
        ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
        none.rlim_max = before.rlim_max;
        signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
        Peer a(folder);
        EXPECT_EQ(a.say("create"), "GS_OK");
        EXPECT_EQ(a.say("export").substr(0, 15), "GS_ERROR_SYSTEM");
        a.end();
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
        EXPECT_EQ(folder.files(), 0u);
        return;
    }
    {
        Peer a(folder);
        EXPECT_EQ(a.say("create"), "GS_OK");
        EXPECT_EQ(a.say("export").substr(0, 22), "GS_ERROR_OUT_OF_MEMORY");
        EXPECT_EQ(folder.files(), 0u);
        EXPECT_EQ(a.say("record"), "GS_OK");
        EXPECT_EQ(a.say("synchronize"), "GS_OK");
        a.end();
    }
    EXPECT_EQ(umount(folder.path().c_str()), 0);
}

} // namespace
} // namespace gs::test
