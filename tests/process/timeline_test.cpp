// SPDX-License-Identifier: Apache-2.0
// Timelines that processes share, on the host backend and on the fake driver. No test depends on time: a waiting host
// function holds back what must not happen, and the test waits for what must happen.
#include <sys/resource.h>

#include "core/timeline/shared_layout.hpp"
#include "support/long_form.hpp"
#include "timeline_peer.hpp"

namespace gs::test {
namespace {

class SharedTimelines : public TimelineProcesses {};

TEST_P(SharedTimelines, AWaitComesBeforeTheSignalOfTheOtherProcess) {
    TimelinePeer a(with()), b(with());
    a.share({&b});
    b.ok({"wait 3", "mark"});
    a.ok({"set 2"});
    EXPECT_EQ(b.say("sync 2"), "GS_OK");
    EXPECT_EQ(b.say("marked"), "0");
    a.ok({"signal 3"});
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    EXPECT_EQ(b.say("value"), "GS_OK 3");
    // And the other way round, from a stream that works first.
    b.ok({"hold", "signal 4"});
    a.ok({"wait 4", "mark"});
    EXPECT_EQ(a.say("try 4"), "GS_ERROR_TIMEOUT");
    EXPECT_EQ(a.say("marked"), "0");
    b.ok({"release"});
    a.ok({"sync 4", "finish"});
    EXPECT_EQ(a.say("marked"), "1");
    b.ok({"close"});
    a.ok({"set 5", "close"});
    expect_no_files_soon(); // a look for failures may have a part in it as well
    b.end();
    a.end();
}

TEST_P(SharedTimelines, TheInitialValueAndTheSecondDevice) {
    TimelinePeer a(with()), b(with());
    a.ok({"make 7"});
    b.ok({"stream 1", "open " + a.handle()});
    EXPECT_EQ(b.say("value"), "GS_OK 7");
    EXPECT_EQ(b.say("set 7"), "GS_ERROR_INVALID_ARGUMENT");
    b.ok({"signal 8"});
    a.ok({"sync 8", "close"});
    b.ok({"close"});
    b.end();
    a.end();
}

// Everything is submitted before anything can run, in both processes.
TEST_P(SharedTimelines, TwoProcessesAlternate) {
    TimelinePeer a(with()), b(with());
    a.share({&b});
    a.ok({"play 1 20"}); // waits for 1, 3, 5 ... and signals 2, 4, 6 ...
    b.ok({"play 2 20"});
    EXPECT_EQ(a.say("marked"), "0");
    b.ok({"set 1"});
    a.ok({"sync 41", "finish"});
    b.ok({"finish"});
    EXPECT_EQ(a.say("marked"), "20");
    EXPECT_EQ(b.say("marked"), "20");
    EXPECT_EQ(a.say("value"), "GS_OK 41");
    // Many more than there is room for at a time.
    a.ask("play 41 500");
    b.ask("play 42 500");
    EXPECT_EQ(a.line(), "GS_OK");
    EXPECT_EQ(b.line(), "GS_OK");
    a.ok({"sync 1041", "close"});
    b.ok({"finish", "close"});
    b.end();
    a.end();
}

// A signal waits for the smaller ones of other processes, and none overtakes another.
TEST_P(SharedTimelines, SignalsKeepTheirOrder) {
    TimelinePeer a(with()), b(with()), c(with());
    a.share({&b, &c});
    a.ok({"hold", "signal 5"});
    b.ok({"signal 6", "mark"});
    EXPECT_EQ(b.say("pending"), "GS_OK 0");
    EXPECT_EQ(b.say("marked"), "0");
    EXPECT_EQ(c.say("signal 5"), "GS_ERROR_INVALID_ARGUMENT") << "submitted already";
    EXPECT_EQ(c.say("signal 4"), "GS_ERROR_INVALID_ARGUMENT") << "5 does not wait for it";
    EXPECT_EQ(c.say("set 4"), "GS_OK") << "below those that are submitted";
    EXPECT_EQ(c.say("set 5"), "GS_ERROR_INVALID_ARGUMENT");
    EXPECT_EQ(c.say("set 7"), "GS_ERROR_INVALID_ARGUMENT") << "would overtake them";
    a.ok({"release"});
    c.ok({"sync 6"});
    EXPECT_EQ(c.say("value"), "GS_OK 6");
    EXPECT_EQ(a.say("set 6"), "GS_ERROR_INVALID_ARGUMENT");
    c.ok({"set 7"});
    for (TimelinePeer *peer : {&a, &b, &c}) peer->ok({"finish", "close"});
    for (TimelinePeer *peer : {&a, &b, &c}) peer->end();
}

TEST_P(SharedTimelines, ThereIsRoomFor48Signals) {
    TimelinePeer a(with()), b(with());
    a.share({&b});
    a.ok({"hold", "wait 1"});
    for (int value = 2; value <= 49; ++value) a.ok({"signal " + std::to_string(value)});
    EXPECT_EQ(a.say("signal 50"), "GS_ERROR_FULL");
    EXPECT_EQ(b.say("signal 50"), "GS_ERROR_FULL");
    b.ok({"signal 1"}); // which the others wait for
    a.ok({"release", "sync 49"});
    b.ok({"signal 50", "sync 50", "close"});
    a.ok({"close"});
    b.end();
    a.end();
}

TEST_P(SharedTimelines, AnAbortReachesAllProcesses) {
    TimelinePeer a(with()), b(with()), c(with());
    const std::string name = a.share({&b, &c});
    b.ok({"wait 5", "mark"});
    c.ask("sync 5");
    a.ok({"hold", "signal 3"}); // happens after the abort, and changes nothing
    a.ok({"abort 25"});
    EXPECT_EQ(c.line(), "GS_ERROR_CANCELLED");
    b.ok({"finish"}); // the stream goes on
    EXPECT_EQ(b.say("marked"), "1");
    for (TimelinePeer *peer : {&a, &b, &c}) EXPECT_EQ(peer->say("value").substr(0, 18), "GS_ERROR_CANCELLED");
    EXPECT_EQ(b.say("wait 9"), "GS_ERROR_CANCELLED");
    EXPECT_EQ(b.say("signal 9"), "GS_ERROR_CANCELLED");
    EXPECT_EQ(b.say("set 9"), "GS_ERROR_CANCELLED");
    EXPECT_EQ(b.say("export"), "GS_ERROR_CANCELLED");
    b.ok({"abort 27"});
    EXPECT_EQ(c.say("sync 1"), "GS_ERROR_CANCELLED") << "the first status stays";
    TimelinePeer d(with());
    EXPECT_EQ(d.say("open " + name), "GS_ERROR_CANCELLED");
    a.ok({"release", "finish"});
    EXPECT_EQ(c.say("sync 3"), "GS_ERROR_CANCELLED");
    for (TimelinePeer *peer : {&a, &b, &c}) peer->ok({"close"});
    expect_no_files_soon();
    for (TimelinePeer *peer : {&a, &b, &c, &d}) peer->end();
}

// The last reference of one process leaves the timeline to the others; signals that it has submitted still come.
TEST_P(SharedTimelines, AProcessGivesItUp) {
    TimelinePeer a(with()), b(with()), c(with());
    const std::string name = a.share({&b});
    a.ok({"hold", "signal 1", "close"});
    EXPECT_EQ(a.say("value"), "GS_ERROR_INVALID_HANDLE 0");
    EXPECT_EQ(b.say("try 1"), "GS_ERROR_TIMEOUT");
    c.ok({"open " + name});
    a.ok({"release", "finish"});
    b.ok({"sync 1", "set 2"});
    c.ok({"wait 3", "mark", "close"}); // no process can signal 3 once b has given it up too
    EXPECT_EQ(c.say("marked"), "0");
    b.ok({"close"});
    c.ok({"finish"});
    EXPECT_EQ(c.say("marked"), "1");
    expect_no_files_soon();
    EXPECT_EQ(b.say("open " + name), "GS_ERROR_INVALID_HANDLE");
    for (TimelinePeer *peer : {&a, &b, &c}) peer->end();
}

TEST_P(SharedTimelines, TheSameProcessGetsTheSameTimeline) {
    TimelinePeer a(with()), b(with());
    const std::string name = a.share({&b});
    a.ok({"open_twice " + name});
    b.ok({"open_twice " + name, "set 1"});
    EXPECT_EQ(b.handle(), name) << "who has opened it may export it";
    a.ok({"sync 1", "close"});
    b.ok({"close"});
    b.end();
    a.end();
}

TEST_P(SharedTimelines, NamesThatAreNone) {
    TimelinePeer a(with()), b(with());
    a.ok({"make_plain"});
    EXPECT_EQ(a.say("export"), "GS_ERROR_INVALID_ARGUMENT");
    const std::string event = a.say("event").substr(6);
    EXPECT_EQ(b.say("open " + event), "GS_ERROR_INVALID_ARGUMENT");
    EXPECT_EQ(b.say("open " + std::string(128, '0')), "GS_ERROR_INVALID_ARGUMENT");
    a.ok({"make"});
    EXPECT_NE(b.say("open_as_event " + a.handle()), "GS_OK");
    a.ok({"close"});
    b.end();
    a.end();
}

// The long form is 10^6.
TEST_P(SharedTimelines, ChangedBytesAreRefused) {
    TimelinePeer a(with()), b(with());
    const std::string name = a.share({});
    EXPECT_EQ(b.say("mutate " + name + (long_form() ? " 1000000" : " 10000")), "opened 0");
    b.ok({"open " + name, "set 1", "close"});
    a.ok({"sync 1", "close"});
    b.end();
    a.end();
}

// Of a process with another version of the library.
TEST_P(SharedTimelines, AFileOfAnotherVersionIsRefused) {
    TimelinePeer a(with()), b(with());
    const std::string name = a.share({});
    EXPECT_EQ(
        overwrite(folder, sizeof(TimelineShared), offsetof(TimelineShared, version), TimelineShared::kVersion + 1), 1u);
    EXPECT_EQ(b.say("open " + name), "GS_ERROR_INVALID_ARGUMENT");
    EXPECT_EQ(b.say("mappings " + folder.path()), "0");
    a.ok({"set 1", "sync 1", "close"});
    b.end();
    a.end();
}

TEST_P(SharedTimelines, AForkedChildIsRefused) {
    TimelinePeer a(with()), b(with());
    const std::string name = a.share({&b});
    a.ok({"fork " + name});
    b.ok({"fork " + name, "set 1"});
    a.ok({"sync 1", "set 2", "close"}); // the children have ended nothing
    b.ok({"sync 2", "close"});
    b.end();
    a.end();
}

TEST_P(SharedTimelines, ThereIsRoomFor16Processes) {
    TimelinePeer a(with());
    const std::string name = a.share({});
    std::vector<std::unique_ptr<TimelinePeer>> others;
    for (int i = 0; i < 15; ++i) {
        others.push_back(std::make_unique<TimelinePeer>(with()));
        others.back()->ok({"open " + name});
    }
    TimelinePeer more(with());
    EXPECT_EQ(more.say("open " + name), "GS_ERROR_FULL");
    others[3]->ok({"close"});
    more.ok({"open " + name, "set 1"});
    EXPECT_EQ(others[3]->say("open " + name), "GS_ERROR_FULL");
    others[14]->ok({"sync 1"});
    for (size_t i = 0; i < others.size(); ++i) {
        if (i != 3) others[i]->ok({"close"});
        others[i]->end();
    }
    more.ok({"close"});
    a.ok({"set 2", "close"});
    more.end();
    a.end();
}

// Memory and files are given back.
TEST_P(SharedTimelines, ManyComeAndGo) {
    TimelinePeer a(with()), b(with());
    a.ok({"make_and_end 300"});
    EXPECT_EQ(timeline_files(), 0u);
    for (int round = 0; round < 10; ++round) {
        a.share({&b});
        b.ok({"wait 1"});
        a.ok({"set 1", "close"});
        b.ok({"finish", "close"});
        EXPECT_EQ(timeline_files(), 0u);
    }
    const auto mapped = [&](TimelinePeer &peer) { return std::stoi(peer.say("mappings " + folder.path())); };
    while (mapped(a) > 1 || mapped(b) > 1) {} // unmapped soon; on host, a file of events may be there
    b.end();
    a.end();
}

TEST_P(SharedTimelines, NoFolderIsAStatus) {
    TimelinePeer a(with()), b(with({{"GPUSTREAM_SHM_DIR", "/nowhere/at/all"}}));
    EXPECT_EQ(b.say("make"), "GS_ERROR_SYSTEM");
    EXPECT_EQ(b.say("open " + a.share({})), "GS_ERROR_INVALID_HANDLE") << "no file, but its process lives";
    b.ok({"make_plain", "set 1"});
    a.ok({"close"});
    b.end();
    a.end();
}

// Files may not grow: nothing is left, and timelines of one process still work.
TEST_P(SharedTimelines, AFullFolderIsAStatus) {
    rlimit before{}, none{0, 0};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    none.rlim_max = before.rlim_max;
    ::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    TimelinePeer a(with());
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(a.say("make"), "GS_ERROR_SYSTEM");
    EXPECT_EQ(folder.files(), 0u);
    a.ok({"make_plain", "wait 1", "mark", "set 1", "finish"});
    EXPECT_EQ(a.say("marked"), "1");
    a.end();
}

GS_ON_BACKENDS(SharedTimelines);

} // namespace
} // namespace gs::test
