// SPDX-License-Identifier: Apache-2.0
// Tokens whose processes are stopped and killed, at every step. The long form has 500 rounds.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "core/token/token_layout.hpp"
#include "support/long_form.hpp"
#include "token_peer.hpp"

namespace gs::test {
namespace {

int token_crashes() { return long_form() ? 500 : 20; }

class TokenCrash : public ::testing::TestWithParam<On> {
protected:
    Variables with() const { return peer_variables(folder, GetParam()); }
    SharedFolder folder;
};

TEST_P(TokenCrash, TheMakerIsKilledBeforeThePoint) {
    TokenPeer a(with()), b(with()), c(with());
    a.ok({"hold"});
    const std::string token = a.token();
    b.ok({"wait " + token});
    EXPECT_EQ(b.say("status " + token), "GS_NOT_READY");
    a.kill();
    EXPECT_EQ(b.settled(token), "GS_ERROR_PEER_LOST");
    EXPECT_EQ(b.say("wait " + token), "GS_ERROR_PEER_LOST");
    EXPECT_EQ(c.say("status " + token), "GS_ERROR_PEER_LOST"); // which had not seen it before
    EXPECT_EQ(c.say("wait " + token), "GS_ERROR_PEER_LOST");
    if (GetParam() == On::Host) EXPECT_EQ(b.say("finish"), "GS_ERROR_PEER_LOST") << "the stream that waited";
    c.end();
    b.end();
}

TEST_P(TokenCrash, APointThatWasSeenStaysReached) {
    TokenPeer a(with()), b(with());
    const std::string seen = a.token();
    EXPECT_EQ(b.settled(seen), "GS_OK");
    a.kill();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(b.say("status " + seen), "GS_OK");
    b.ok({"wait " + seen, "mark", "finish"});
    EXPECT_EQ(b.say("marked"), "1");
    TokenPeer c(with());
    EXPECT_EQ(c.say("status " + seen), "GS_OK") << "its file is still there, and says so";
    c.token(); // the first one of a process removes the files of the dead
    TokenPeer d(with());
    EXPECT_EQ(d.say("status " + seen), "GS_ERROR_PEER_LOST");
    d.end();
    c.end();
    b.end();
}

// A reader has the files of the last 16 makers that ended, although it never asks about their tokens again.
TEST_P(TokenCrash, MakersThatEndOneAfterTheOther) {
    TokenPeer b(with());
    int first = 0, most = 0;
    for (int round = 0; round < 40; ++round) {
        TokenPeer a(with());
        b.ok({"wait " + a.token(), "finish"});
        a.kill();
        most = std::stoi(b.say("mappings " + folder.path()));
        if (round == 0) first = most;
    }
    EXPECT_GE(first, 1);
    EXPECT_LE(most, 20 * first) << "the tokens and, on host, the events; an end may be seen late";
    b.end();
}

// A stopped process has not ended; the other processes go on.
TEST_P(TokenCrash, AStoppedProcess) {
    TokenPeer a(with()), b(with()), c(with());
    a.ok({"hold"});
    const std::string token = a.token();
    EXPECT_EQ(b.say("status " + token), "GS_NOT_READY");
    a.signal(SIGSTOP);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(c.say("status " + token), "GS_NOT_READY");
    c.ok({"wait " + token, "mark"});
    a.signal(SIGCONT);
    b.signal(SIGSTOP); // it takes part in the lease
    a.ok({"release", "many 200"});
    c.ok({"finish"});
    EXPECT_EQ(c.say("marked"), "1");
    EXPECT_EQ(a.say("status " + token), "GS_OK") << "its cell is still the token's";
    b.signal(SIGCONT);
    b.ok({"wait " + token});
    for (TokenPeer *peer : {&a, &b, &c}) peer->end();
}

// The maker is stopped and killed while it makes tokens and reuses their cells.
TEST_P(TokenCrash, TheMakerDiesAtAnyMoment) {
    TokenPeer b(with());
    for (int round = 0; round < token_crashes(); ++round) {
        TokenPeer a(with());
        if (round % 2) a.ok({"hold"});
        const std::string token = a.token();
        if (round % 3 == 0) b.ok({"wait " + token});
        a.ask("churn");
        for (int i = 0; i < round % 7; ++i) {
            const std::string seen = b.say("status " + token);
            EXPECT_TRUE(seen == "GS_NOT_READY" || seen == "GS_OK" || seen == "call: GS_ERROR_INVALID_HANDLE") << seen;
        }
        a.signal(SIGSTOP);
        const std::string stopped = b.say("status " + token);
        EXPECT_NE(stopped, "GS_ERROR_PEER_LOST") << "it lives";
        if (round % 2) EXPECT_EQ(stopped, "GS_NOT_READY");
        a.kill();
        const std::string end = b.settled(token);
        if (round % 2) EXPECT_EQ(end, "GS_ERROR_PEER_LOST") << "its point was never reached";
        EXPECT_NE(end, "(no answer)");
        EXPECT_EQ(b.settled(token), end) << "and stays so";
        if (round % 3 == 0) b.ok({"stream"}); // the old one may have failed with the other process
    }
    b.end();
}

// Readers are stopped and killed while they wait and look: cells are neither lost nor given away too early.
TEST_P(TokenCrash, AReaderDiesAtAnyMoment) {
    TokenPeer a(with()), c(with());
    for (int round = 0; round < token_crashes(); ++round) {
        TokenPeer b(with());
        a.ok({"hold"});
        const std::string token = a.token();
        if (round % 2) EXPECT_EQ(c.say("status " + token), "GS_NOT_READY");
        b.ask("churn_waits " + token);
        for (int i = 0; i < round % 5; ++i) EXPECT_EQ(a.say("status " + token), "GS_NOT_READY");
        if (round % 3) b.signal(SIGSTOP);
        a.ok({"stream", "many 5"});
        b.kill();
        EXPECT_EQ(a.say("status " + token), "GS_NOT_READY");
        a.ok({"release"});
        EXPECT_EQ(c.settled(token), "GS_OK");
        a.ok({"stream"});
    }
    a.ok({"many 300"});
    c.end();
    a.end();
}

// More processes than a file has places for, one after the other.
TEST_P(TokenCrash, ReadersComeAndGo) {
    TokenPeer a(with());
    a.ok({"hold"});
    const std::string token = a.token();
    for (int i = 0; i < 70; ++i) {
        TokenPeer b(with());
        std::string seen = b.say("status " + token);
        while (seen == "call: GS_ERROR_FULL") { // the dead are found at the maker's next token, every few milliseconds
            a.token();
            seen = b.say("status " + token);
        }
        EXPECT_EQ(seen, "GS_NOT_READY") << i;
        b.kill();
    }
    a.ok({"release"});
    EXPECT_EQ(a.settled(token), "GS_OK");
    a.end();
}

// The same while the maker goes on: it finds those that were killed before its file is full, so no reader is refused.
TEST_P(TokenCrash, KilledReadersLeaveTheirPlacesInTime) {
    TokenPeer a(with());
    for (int i = 0; i < 140; ++i) {
        const std::string token = a.token();
        TokenPeer b(with());
        EXPECT_EQ(b.settled(token), "GS_OK") << i;
        b.kill();
    }
    a.end();
}

// Tokens of a file whose other cells are all leased. The maker's next ones are of another file, and it frees the places in this
// one all the same.
TEST_P(TokenCrash, KilledReadersLeaveTheirPlacesInAFullFile) {
    TokenPeer a(with());
    a.ok({"hold"});
    const std::string token = a.token();
    for (int i = 1; i < 124; ++i) (void)a.token();
    for (int i = 0; i < 64; ++i) {
        TokenPeer b(with());
        EXPECT_EQ(b.say("status " + token), "GS_NOT_READY") << i;
        b.kill();
    }
    for (int i = 0; i < 32; ++i) (void)a.token();
    TokenPeer b(with());
    EXPECT_EQ(b.say("status " + token), "GS_NOT_READY");
    b.end();
    a.ok({"release"});
    a.end();
}

// A reader executes another program while one of its threads is in a call. To others it has ended then.
TEST_P(TokenCrash, AReaderExecutesAnotherProgram) {
    TokenPeer a(with()), b(with());
    b.ok({"wait " + a.token()});
    a.ok({"finish"});
    void *memory = MAP_FAILED;
    for (const auto &entry : std::filesystem::directory_iterator(folder.path())) {
        if (bytes_of(entry) != kTokenFileBytes) continue;
        const int fd = open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
        memory = mmap(nullptr, kTokenFileBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    ASSERT_NE(memory, MAP_FAILED);
    TokenCell &cell = static_cast<TokenShared *>(memory)->cells[0];
    const uint64_t first = cell.generation;
    cell.in_call |= 1; // of the thread in the call
    EXPECT_EQ(b.say("exec"), "ready");
    b.ok({"stream", "wait " + a.token()}); // of another cell
    a.ok({"finish"});
    (void)a.token();
    (void)a.token();
    EXPECT_GE(cell.generation, first + 2) << "it has another token";
    munmap(memory, kTokenFileBytes);
    b.end();
    a.end();
}

// Room for the files of one process.
TEST_P(TokenCrash, WhatFillsTheFolderIsSweptIfItIsOfTheDead) {
    if (GetParam() != On::Host) return; // the fake driver's events are in the engine's own folder
    if (mount("none", folder.path().c_str(), "tmpfs", 0, "size=52k") != 0) GTEST_SKIP() << "mounting is not permitted";
    {
        TokenPeer dead(with());
        (void)dead.token();
        dead.kill();
        TokenPeer a(with());
        (void)a.token();
        EXPECT_EQ(folder.files(), 2u) << "of tokens and of events";
        a.end();
    }
    EXPECT_EQ(umount(folder.path().c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(Host, TokenCrash, ::testing::Values(On::Host));
#if defined(GS_TEST_FAKE_CUDA)
INSTANTIATE_TEST_SUITE_P(FakeCuda, TokenCrash, ::testing::Values(On::FakeCuda));
#endif

} // namespace
} // namespace gs::test
