// SPDX-License-Identifier: Apache-2.0
// Interprocess events whose processes end, and shared memory that is not available.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "ipc.hpp"
#include <algorithm>

namespace gs::test {
namespace {

TEST(IpcCrash, TheExporterEndsAfterItsWorkWasDone) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    a.ok({"record"});
    b.ok({"synchronize"});
    a.end();
    EXPECT_EQ(b.say("query"), "GS_OK 1"); // done stays done
    Peer c(folder);
    EXPECT_EQ(c.say("open " + handle), "GS_ERROR_PEER_LOST");
    c.end();
    b.end();
}

TEST(IpcCrash, TheExporterIsKilledWithWorkPending) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    Peer waiting(folder);
    waiting.ok({"open " + handle});
    a.ok({"hold", "record"});
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
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    a.ok({"hold", "record"});
    b.ok({"wait", "mark"});
    a.kill();
    const std::string finished = b.say("finish");
    EXPECT_NE(finished, "(no answer)");
    EXPECT_NE(finished, "GS_OK") << "the work before the wait's end was never done";
    EXPECT_EQ(b.say("marked"), "0");
    b.end();
}

// A function that is deferred runs also if its stream fails, and its work never does.
TEST(IpcCrash, FunctionsDeferredOnStreamsThatFailedRun) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    a.ok({"hold", "record"});
    b.ok({"lose 4", "defer-lost"});
    a.kill();
    b.ok({"destroy-lost"});
    EXPECT_EQ(b.say("deferred 4"), "4");
    b.end();
}

// A stream that has failed serves no other owner, and leaves the pool, where each create would ask about it.
TEST(IpcCrash, StreamsThatFailedLeaveTheirPool) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    a.ok({"hold", "record"});
    b.ok({"lose 64"});
    a.kill();
    b.ok({"destroy-lost"});
    const int made = std::stoi(b.say("misses 200"));
    EXPECT_LE(made, 64 / 2) << "each create asks two of the pool";
    EXPECT_EQ(b.say("misses 200"), "0");
    b.end();
}

TEST(IpcCrash, TheImporterIsKilled) {
    SharedFolder folder;
    Peer a(folder);
    const std::string handle = a.create_and_export();
    {
        Peer b(folder);
        b.ok({"open " + handle});
        a.ok({"hold", "record"});
        b.ok({"wait"});
        b.kill();
    }
    a.ok({"release", "synchronize"});
    Peer c(folder); // and other processes can use the event
    c.ok({"open " + handle});
    EXPECT_EQ(c.say("query"), "GS_OK 1");
    c.end();
    a.ok({"destroy"});
    EXPECT_EQ(folder.files(), 0u);
    a.end();
}

// An importer that recorded and died: waiters for that record get a status.
TEST(IpcCrash, TheImporterIsKilledAfterItRecorded) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    b.ok({"hold", "record"});
    EXPECT_EQ(a.say("query"), "GS_OK 0");
    b.kill();
    EXPECT_EQ(a.say("synchronize"), "GS_ERROR_PEER_LOST");
    a.ok({"record"}); // a new record repairs it
    a.ok({"synchronize", "destroy"});
    a.end();
}

// Killed at any moment: while it records in a busy stream, while records complete, while it takes or leaves lanes.
TEST(IpcCrash, ARecorderIsKilledAtAnyMoment) {
    SharedFolder folder;
    Peer a(folder), observer(folder);
    const std::string handle = a.create_and_export();
    observer.ok({"open " + handle});
    int lost = 0;
    for (int i = 0; i < 60; ++i) {
        Peer b(folder);
        b.ok({"open " + handle});
        b.ask("churn"); // records in streams that become busy and idle again, without end
        for (int q = 0; q < i; ++q) EXPECT_EQ(a.say("query").substr(0, 5), "GS_OK");
        observer.ok({"wait"});
        b.kill();
        const std::string end = a.say("synchronize");
        EXPECT_TRUE(end == "GS_OK" || end == "GS_ERROR_PEER_LOST") << end;
        EXPECT_EQ(observer.say("synchronize"), end);
        const std::string finished = observer.say("finish"); // of an older record perhaps
        EXPECT_TRUE(finished == "GS_OK" || finished == "GS_ERROR_PEER_LOST") << finished;
        lost += end != "GS_OK";
        a.ok({"record"});
        observer.ok({"synchronize", "stream"}); // one that has not failed
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
    a.ok({"destroy"});
    EXPECT_EQ(folder.files(), 0u);
    a.end();
}

// The first export of a process fails, since there is no folder yet. The names are swept all the same, after the next one.
TEST(IpcCrash, NamesOfTheDeadAreSweptAfterAFailedExport) {
    SharedFolder folder;
    const std::string later = folder.path() + "/later";
    const Variables variables{{"GPUSTREAM_SHM_DIR", later}, {"GPUSTREAM_BACKEND", "host"}};
    Peer a(variables);
    a.ok({"create"});
    EXPECT_EQ(a.say("export").substr(0, 15), "GS_ERROR_SYSTEM");
    std::filesystem::create_directory(later);
    Peer dead(variables);
    dead.create_and_export();
    dead.kill();
    EXPECT_EQ(a.say("export").substr(0, 6), "GS_OK ");
    const auto files = [&] {
        const std::filesystem::directory_iterator all(later);
        return std::count_if(begin(all), end(all), [](const auto &entry) { return bytes_of(entry) != 0; });
    };
    while (files() != 1) sched_yield();
    a.ok({"destroy"});
    a.end();
}

// Once lost, always lost until the next record, in every process.
TEST(IpcCrash, ALostRecordStaysLost) {
    TwoPeers peers;
    auto &[folder, a, b, handle] = peers;
    Peer c(folder);
    c.ok({"open " + handle});
    b.ok({"hold", "record"});
    b.kill();
    EXPECT_EQ(a.say("synchronize"), "GS_ERROR_PEER_LOST");
    for (int i = 0; i < 50; ++i)
        for (Peer *peer : {&a, &c}) EXPECT_EQ(peer->say("query").substr(0, 18), "GS_ERROR_PEER_LOST") << i;
    c.ok({"record"});
    EXPECT_EQ(a.say("query"), "GS_OK 1");
    EXPECT_EQ(c.say("query"), "GS_OK 1");
    a.end();
    c.end();
}

TEST(IpcCrash, NoFolderIsAStatus) {
    Peer a(Variables{{"GPUSTREAM_SHM_DIR", "/nowhere/at/all"}, {"GPUSTREAM_BACKEND", "host"}});
    a.ok({"create"});
    EXPECT_EQ(a.say("export").substr(0, 15), "GS_ERROR_SYSTEM");
    a.ok({"record"}); // the event itself is still usable
    a.ok({"synchronize"});
    a.end();
}

// Not even room for one page: writing to the mapping would be SIGBUS.
TEST(IpcCrash, AFullFolderIsAStatus) {
    SharedFolder folder;
    if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=4k") != 0) {
        // Where mounting is forbidden, files may not grow instead.
        rlimit before{}, none{0, 0};
        ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
        none.rlim_max = before.rlim_max;
        signal(SIGXFSZ, SIG_IGN);
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
        Peer a(folder);
        a.ok({"create"});
        EXPECT_EQ(a.say("export").substr(0, 15), "GS_ERROR_SYSTEM");
        a.end();
        ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
        EXPECT_EQ(folder.files(), 0u);
        return;
    }
    {
        Peer a(folder);
        a.ok({"create"});
        EXPECT_EQ(a.say("export").substr(0, 22), "GS_ERROR_OUT_OF_MEMORY");
        EXPECT_EQ(folder.files(), 0u);
        a.ok({"record", "synchronize"});
        a.end();
    }
    EXPECT_EQ(umount(folder.path().c_str()), 0);
}

TEST(IpcCrash, WhatFillsTheFolderIsSweptIfItIsOfTheDead) {
    SharedFolder folder;
    if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=36k") != 0) GTEST_SKIP() << "mounting is not permitted";
    {
        Peer dead(folder);
        dead.create_and_export();
        dead.kill();
        Peer a(folder);
        a.ok({"create"});
        while (a.say("export").substr(0, 6) != "GS_OK ") sched_yield(); // they are removed in the background
        EXPECT_EQ(folder.files(), 1u);
        a.ok({"destroy"});
        a.end();
    }
    EXPECT_EQ(umount(folder.path().c_str()), 0);
}

} // namespace
} // namespace gs::test
