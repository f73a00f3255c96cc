// SPDX-License-Identifier: Apache-2.0
// Processes of a shared timeline that are stopped and killed, at every step. The long form has 500 rounds.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "core/timeline/shared_layout.hpp"
#include "support/long_form.hpp"
#include "timeline_peer.hpp"

namespace gs::test {
namespace {

int crash_rounds() { return long_form() ? 500 : 20; }

class TimelineCrash : public TimelineProcesses {};

// The memory of the only timeline in a folder, as one of its processes has it.
class SharedMemory {
public:
    explicit SharedMemory(const SharedFolder &folder) {
        for (const auto &entry : std::filesystem::directory_iterator(folder.path())) {
            if (entry.file_size() != kTimelineFileBytes) continue;
            const int fd = open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
            void *memory = mmap(nullptr, kTimelineFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            close(fd);
            if (memory != MAP_FAILED) memory_ = static_cast<TimelineShared *>(memory);
        }
        EXPECT_NE(memory_, nullptr);
    }
    ~SharedMemory() { munmap(memory_, kTimelineFileBytes); }
    SharedMemory(const SharedMemory &) = delete;
    SharedMemory &operator=(const SharedMemory &) = delete;
    TimelineShared *operator->() const { return memory_; }

private:
    TimelineShared *memory_ = nullptr;
};

TEST_P(TimelineCrash, TheOneThatHasToSignalIsKilled) {
    TimelinePeer a(with()), b(with()), c(with());
    const std::string name = a.share({&b, &c});
    a.ok({"hold", "signal 1"});
    b.ok({"wait 1", "mark"});
    c.ask("sync 1");
    a.kill();
    EXPECT_EQ(c.line(), "GS_ERROR_PEER_LOST");
    b.ok({"finish"}); // the stream goes on
    EXPECT_EQ(b.say("marked"), "1");
    EXPECT_EQ(b.say("settle"), "GS_ERROR_PEER_LOST");
    for (TimelinePeer *peer : {&b, &c}) {
        EXPECT_EQ(peer->say("wait 2"), "GS_ERROR_PEER_LOST");
        EXPECT_EQ(peer->say("set 2"), "GS_ERROR_PEER_LOST");
    }
    TimelinePeer d(with());
    EXPECT_EQ(d.say("open " + name), "GS_ERROR_PEER_LOST");
    for (TimelinePeer *peer : {&b, &c}) peer->ok({"close"});
    for (TimelinePeer *peer : {&b, &c, &d}) peer->end();
}

// One that has ended with the timeline open counts as lost, although it was not killed.
TEST_P(TimelineCrash, AProcessEndsWithoutGivingItUp) {
    TimelinePeer a(with()), b(with());
    a.share({&b});
    b.ok({"set 1"});
    b.end();
    EXPECT_EQ(a.say("settle"), "GS_ERROR_PEER_LOST");
    a.ok({"close"});
    expect_no_files_soon(); // the thread that has seen the loss may still be inside the timeline
    a.end();
}

TEST_P(TimelineCrash, AProcessThatHasGivenItUpMayEnd) {
    TimelinePeer a(with()), b(with()), c(with());
    a.share({&b, &c});
    b.ok({"set 1", "close"});
    b.kill();
    a.ok({"sync 1", "wait 2"});
    for (int i = 0; i < 3; ++i) EXPECT_EQ(a.say("try 2"), "GS_ERROR_TIMEOUT");
    c.ok({"signal 2"});
    a.ok({"sync 2", "finish", "close"});
    c.ok({"finish", "close"});
    c.end();
    a.end();
}

// It has given the timeline up, but a signal of it has not happened.
TEST_P(TimelineCrash, AProcessDiesBeforeItsLastSignal) {
    TimelinePeer a(with()), b(with());
    a.share({&b});
    b.ok({"hold", "signal 1", "close"});
    EXPECT_EQ(a.say("try 1"), "GS_ERROR_TIMEOUT");
    b.kill();
    EXPECT_EQ(a.say("sync 1"), "GS_ERROR_PEER_LOST");
    a.ok({"close"});
    a.end();
}

// A stream of a process that has given the timeline up still waits for a signal of one that dies.
TEST_P(TimelineCrash, AStreamWaitsForOneThatDies) {
    TimelinePeer a(with()), b(with());
    a.share({&b});
    a.ok({"wait 1", "mark", "close"});
    EXPECT_EQ(a.say("marked"), "0");
    b.kill();
    a.ok({"finish"});
    EXPECT_EQ(a.say("marked"), "1");
    a.end();
}

// The same, and the one that dies has the place of the process that has given the timeline up.
TEST_P(TimelineCrash, AStreamWaitsForOneThatDiesInItsPlace) {
    TimelinePeer a(with()), b(with()), c(with());
    const std::string name = a.share({&b});
    a.ok({"wait 1", "mark", "close"});
    c.ok({"open " + name});
    b.ok({"close"});
    b.end();
    EXPECT_EQ(a.say("marked"), "0");
    c.kill();
    a.ok({"finish"});
    EXPECT_EQ(a.say("marked"), "1");
    a.end();
}

// The last process that has it open is killed when it has given its place back and has not ended the word yet.
TEST_P(TimelineCrash, AStreamWaitsForOneThatDiesWhileItLeaves) {
    TimelinePeer a(with());
    a.share({});
    {
        const SharedMemory memory(folder);
        memory->members[1] = memory->members[0].load(); // one that lives
        memory->open |= 2;
        a.ok({"wait 1", "mark", "close"});
        EXPECT_EQ(a.say("marked"), "0");
        memory->open &= ~uint64_t{2};
    }
    a.ok({"finish"});
    EXPECT_EQ(a.say("marked"), "1");
    a.end();
}

// Stopped is not ended, and holds up no other process.
TEST_P(TimelineCrash, AStoppedProcess) {
    TimelinePeer a(with()), b(with()), c(with());
    a.share({&b, &c});
    for (int round = 0; round < crash_rounds(); ++round) {
        const std::string value = std::to_string(round + 1);
        b.ask("churn_reads");
        if (round % 2) a.say("value");
        b.signal(SIGSTOP);
        a.ok({"signal " + value});
        c.ok({"sync " + value});
        for (int i = 0; i < 3; ++i) EXPECT_EQ(c.say("value"), "GS_OK " + value);
        b.signal(SIGCONT);
        EXPECT_EQ(b.line(), "GS_OK");
    }
    for (TimelinePeer *peer : {&a, &b, &c}) peer->ok({"close"});
    for (TimelinePeer *peer : {&a, &b, &c}) peer->end();
}

// One of three that all signal and wait is stopped and killed at any moment: the others hear of it and can go on.
TEST_P(TimelineCrash, AProcessDiesAtAnyMoment) {
    TimelinePeer a(with()), c(with());
    for (int round = 0; round < crash_rounds(); ++round) {
        TimelinePeer b(with());
        (round % 2 ? a : b).share({});
        TimelinePeer &maker = round % 2 ? a : b, &opener = round % 2 ? b : a;
        const std::string name = maker.handle();
        opener.ok({"open " + name});
        c.ok({"open " + name});
        b.ask("churn");
        if (round % 3) c.ask("churn");
        for (int i = 0; i < round % 5; ++i) a.say("value");
        if (round % 4 == 1) b.signal(SIGSTOP);
        b.kill();
        if (round % 3) EXPECT_EQ(c.line(), "GS_ERROR_PEER_LOST");
        for (TimelinePeer *peer : {&a, &c}) {
            EXPECT_EQ(peer->say("settle"), "GS_ERROR_PEER_LOST");
            peer->ok({"finish", "close", "stream"}); // no stream of them waits any more
        }
    }
    c.end();
    a.end();
}

// Processes that open and give up are killed at any moment: each one is either lost, or had given it up.
TEST_P(TimelineCrash, OneThatOpensDiesAtAnyMoment) {
    TimelinePeer a(with()), c(with());
    std::string name = a.share({&c});
    for (int round = 0; round < crash_rounds(); ++round) {
        TimelinePeer b(with());
        b.ask("churn_opens " + name);
        for (int i = 0; i < round % 7; ++i) a.say("value");
        if (round % 3 == 1) b.signal(SIGSTOP);
        b.kill();
        const std::string seen = a.say("try 1000000");
        EXPECT_TRUE(seen == "GS_ERROR_TIMEOUT" || seen == "GS_ERROR_PEER_LOST") << seen;
        // A death that is not seen yet is seen when one that opens needs its place, or by the next look.
        std::string opened = a.say("open_twice " + name);
        EXPECT_TRUE(opened == "GS_OK" || opened == "GS_ERROR_PEER_LOST") << opened;
        for (TimelinePeer *peer : {&a, &c}) peer->ok({"close"});
        name = a.share({&c});
    }
    for (TimelinePeer *peer : {&a, &c}) peer->ok({"close"});
    c.end();
    a.end();
}

// Room for one timeline.
TEST_P(TimelineCrash, WhatFillsTheFolderIsSweptIfItIsOfTheDead) {
    if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=40k") != 0) GTEST_SKIP() << "mounting is not permitted";
    {
        TimelinePeer dead(with());
        dead.ok({"make"});
        dead.kill();
        TimelinePeer a(with());
        a.ok({"make"});
        EXPECT_EQ(timeline_files(), 1u);
        a.ok({"close"});
        a.end();
    }
    EXPECT_EQ(umount(folder.path().c_str()), 0);
}

GS_ON_BACKENDS(TimelineCrash);

} // namespace
} // namespace gs::test
