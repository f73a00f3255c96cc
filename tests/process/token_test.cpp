// SPDX-License-Identifier: Apache-2.0
// Tokens between processes, on the host backend and on the fake driver. Time decides nothing: a waiting host function holds
// back what must come later, and the test waits for what must happen.
#include <sys/resource.h>

#include <fstream>

#include "core/token/token_layout.hpp"
#include "support/long_form.hpp"
#include "token_peer.hpp"

namespace gs::test {
namespace {

class Tokens : public ::testing::TestWithParam<On> {
protected:
    Variables with(const Variables &more = {}) const { return peer_variables(folder, GetParam(), more); }
    // Files of tokens, beside those of events.
    size_t token_files() const {
        size_t count = 0;
        for (const auto &entry : std::filesystem::directory_iterator(folder.path()))
            count += bytes_of(entry) == 16 * 1024;
        return count;
    }
    SharedFolder folder;
};

TEST_P(Tokens, WorkWaitsForThePointOfTheOtherProcess) {
    TokenPeer a(with()), b(with());
    a.ok({"hold"});
    const std::string token = a.token();
    EXPECT_EQ(token.size(), 2 * sizeof(gs_token_t));
    a.ok({"hold"}); // later work of the stream is not part of the point
    EXPECT_EQ(b.say("status " + token), "GS_NOT_READY");
    b.ok({"wait " + token, "mark"});
    EXPECT_EQ(b.say("marked"), "0");
    EXPECT_EQ(b.say("pending"), "GS_OK 0");
    a.ok({"release"});
    EXPECT_EQ(b.settled(token), "GS_OK");
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    a.ok({"release"});
    b.end();
    a.end();
}

TEST_P(Tokens, TheSameProcessMayWait) {
    TokenPeer a(with());
    a.ok({"hold"});
    const std::string token = a.token();
    EXPECT_EQ(a.say("status " + token), "GS_NOT_READY");
    a.ok({"stream", "wait " + token, "mark"});
    EXPECT_EQ(a.say("marked"), "0");
    a.ok({"release", "finish"});
    EXPECT_EQ(a.say("marked"), "1");
    EXPECT_EQ(a.say("status " + token), "GS_OK");
    a.end();
}

// Ordinals need not agree: the device is found by its UUID.
TEST_P(Tokens, TheSecondDeviceAndAStreamOfTheFirst) {
    TokenPeer a(with()), b(with());
    a.ok({"stream 1", "hold"});
    const std::string token = a.token();
    b.ok({"wait " + token, "mark"});
    EXPECT_EQ(b.say("marked"), "0");
    a.ok({"release"});
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    b.end();
    a.end();
}

TEST_P(Tokens, ADeviceThatTheProcessDoesNotSee) {
    TokenPeer a(with());
    a.ok({"stream 1"});
    const std::string token = a.token();
    if (GetParam() == On::Host) {
        TokenPeer b(with({{"GPUSTREAM_HOST_DEVICES", "1"}}));
        EXPECT_EQ(b.say("status " + token), "call: GS_ERROR_DEVICE_MISMATCH");
        EXPECT_EQ(b.say("wait " + token), "GS_ERROR_DEVICE_MISMATCH");
        b.end();
    } else {
        TokenPeer b(peer_variables(folder, On::Host));
        EXPECT_EQ(b.say("wait " + token), "GS_ERROR_NOT_SUPPORTED") << "a stream of another backend";
        b.end();
    }
    a.end();
}

// One wait ends the lease once the point is reached; the next token gets the event, and the old one names nothing.
TEST_P(Tokens, AStaleTokenIsRefusedByAllProcesses) {
    TokenPeer a(with()), b(with());
    const std::string old = a.token();
    b.ok({"wait " + old, "finish"});
    EXPECT_EQ(b.settled(old), "GS_OK") << "the event has not been given to another token yet";
    a.ok({"hold"});
    const std::string newer = a.token(); // in the same cell
    EXPECT_NE(old, newer);
    for (TokenPeer *peer : {&a, &b}) {
        EXPECT_EQ(peer->say("status " + old), "call: GS_ERROR_INVALID_HANDLE");
        EXPECT_EQ(peer->say("wait " + old), "GS_ERROR_INVALID_HANDLE");
        EXPECT_EQ(peer->say("status " + newer), "GS_NOT_READY");
    }
    a.ok({"release"});
    EXPECT_EQ(b.settled(newer), "GS_OK");
    b.end();
    a.end();
}

// Who saw the point pending takes part in the lease until it waits, or dies.
TEST_P(Tokens, ALeaseLastsUntilEveryReaderHasWaitedOrDied) {
    TokenPeer a(with()), b(with()), c(with()), d(with());
    a.ok({"hold"});
    const std::string token = a.token();
    for (TokenPeer *reader : {&b, &c, &d}) EXPECT_EQ(reader->say("status " + token), "GS_NOT_READY");
    a.ok({"release"});
    EXPECT_EQ(b.settled(token), "GS_OK");
    a.ok({"many 20"}); // c and d have not come back
    c.ok({"wait " + token, "finish"});
    a.ok({"many 20"});
    EXPECT_EQ(a.say("status " + token), "GS_OK");
    d.kill();
    std::string seen = "GS_OK";
    while (seen == "GS_OK") { // the owner asks for the dead every few milliseconds
        a.ok({"many 20"});
        seen = c.say("status " + token);
    }
    EXPECT_EQ(seen, "call: GS_ERROR_INVALID_HANDLE");
    for (TokenPeer *peer : {&a, &b, &c}) peer->end();
}

// Pending tokens keep their cells, however many follow; files are added, and trimmed when all leases are over.
TEST_P(Tokens, ManyTokensAtATime) {
    TokenPeer a(with()), b(with());
    a.ok({"hold"});
    std::vector<std::string> tokens;
    for (int i = 0; i < 300; ++i) tokens.push_back(a.token());
    EXPECT_EQ(token_files(), 3u);
    for (const std::string &token : tokens) b.ok({"wait " + token});
    b.ok({"mark"});
    EXPECT_EQ(b.say("marked"), "0");
    a.ok({"release", "finish", "trim"});
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    EXPECT_EQ(token_files(), 0u);
    EXPECT_EQ(b.say("wait " + tokens[0]), "GS_ERROR_INVALID_HANDLE");
    TokenPeer c(with());
    EXPECT_EQ(c.say("wait " + tokens[0]), "GS_ERROR_INVALID_HANDLE") << "its file is gone, its process lives";
    a.ok({"many 10"});
    EXPECT_EQ(token_files(), 1u);
    c.end();
    b.end();
    a.end();
}

// What the maker has removed, readers give up when they map another file.
TEST_P(Tokens, FilesComeAndGo) {
    TokenPeer a(with()), b(with());
    for (int round = 0; round < 10; ++round) {
        const std::string token = a.token();
        b.ok({"wait " + token, "finish"});
        a.ok({"finish", "trim"});
        EXPECT_EQ(token_files(), 0u);
        EXPECT_LE(std::stoi(b.say("mappings " + folder.path())), 4)
            << "the tokens and, on host, the events of two files";
    }
    b.end();
    a.end();
}

// Threads that find no cell at the same time make a file each. No cell of these is lost.
TEST_P(Tokens, FilesThatThreadsMakeAtTheSameTimeAreUsed) {
    TokenPeer a(with());
    EXPECT_EQ(a.say("first 100"), "GS_OK");
    a.end();
}

// Without a reader a lease ends by itself, but never before its point is reached.
TEST_P(Tokens, ALeaseWithoutAReaderEndsAfterItsTime) {
    TokenPeer a(with({{"GPUSTREAM_TOKEN_LEASE_MS", "0"}}));
    a.ok({"hold"});
    const std::string pending = a.token();
    a.ok({"stream", "many 300"});
    EXPECT_EQ(token_files(), 1u) << "each of the others had the same cell";
    EXPECT_EQ(a.say("status " + pending), "GS_NOT_READY");
    a.ok({"release"});
    EXPECT_EQ(a.settled(pending), "GS_OK");
    a.ok({"many 20"});
    EXPECT_EQ(a.say("status " + pending), "call: GS_ERROR_INVALID_HANDLE");
    a.end();
}

TEST_P(Tokens, CapturesRefuseThemAndGoOn) {
    TokenPeer a(with());
    const std::string token = a.token();
    EXPECT_EQ(a.say("capture " + token), "GS_ERROR_CAPTURING GS_ERROR_CAPTURING");
    EXPECT_EQ(a.settled(token), "GS_OK");
    a.end();
}

TEST_P(Tokens, AForkedChildIsRefused) {
    TokenPeer a(with()), b(with());
    a.ok({"hold"});
    const std::string token = a.token();
    a.ok({"fork " + token});
    b.ok({"wait " + token, "fork " + token});
    EXPECT_EQ(b.say("status " + token), "GS_NOT_READY") << "the children have ended nothing";
    a.ok({"release"});
    EXPECT_EQ(b.settled(token), "GS_OK");
    b.end();
    a.end();
}

// The long form is 10^6.
TEST_P(Tokens, ChangedBytesAreRefused) {
    TokenPeer a(with()), b(with());
    a.ok({"hold"});
    const std::string token = a.token();
    a.ok({"hold"});
    a.token(); // another one, which none of the waits may be for
    const std::string rounds = long_form() ? "1000000" : "10000";
    EXPECT_EQ(b.say("mutate " + token + " " + rounds), "accepted 0");
    EXPECT_EQ(a.say("mutate " + token + " " + rounds), "accepted 0");
    b.ok({"finish"}); // the stream waits for nothing
    b.ok({"wait " + token});
    EXPECT_EQ(b.say("pending"), "GS_OK 0");
    a.ok({"release", "release"});
    b.ok({"finish"});
    b.end();
    a.end();
}

// Of a process with another version of the library.
TEST_P(Tokens, AFileOfAnotherVersionIsRefused) {
    TokenPeer a(with()), b(with());
    const std::string token = a.token();
    EXPECT_EQ(overwrite(folder, sizeof(TokenShared), offsetof(TokenShared, version), TokenShared::kVersion + 1), 1u);
    EXPECT_EQ(b.say("status " + token), "call: GS_ERROR_INVALID_ARGUMENT");
    EXPECT_EQ(b.say("wait " + token), "GS_ERROR_INVALID_ARGUMENT");
    b.ok({"mark", "finish"}); // the stream waits for nothing
    EXPECT_EQ(b.say("mappings " + folder.path()), "1") << "of the file whose lock it keeps";
    EXPECT_EQ(a.say("status " + token), "GS_OK");
    b.end();
    a.end();
}

TEST_P(Tokens, NoFolderIsAStatus) {
    TokenPeer a(with({{"GPUSTREAM_SHM_DIR", "/nowhere/at/all"}}));
    EXPECT_EQ(a.say("token"), "GS_ERROR_SYSTEM");
    a.ok({"finish"});
    a.end();
}

// Files may not grow: the call that fails cleans up, and the stream goes on.
TEST_P(Tokens, AFullFolderIsAStatus) {
    rlimit before{}, none{0, 0};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    none.rlim_max = before.rlim_max;
    ::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
    TokenPeer a(with());
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(a.say("token"), "GS_ERROR_SYSTEM");
    EXPECT_EQ(folder.files(), 0u);
    a.ok({"mark", "finish"});
    EXPECT_EQ(a.say("marked"), "1");
    a.end();
}

INSTANTIATE_TEST_SUITE_P(Host, Tokens, ::testing::Values(On::Host));
#if defined(GS_TEST_FAKE_CUDA)
INSTANTIATE_TEST_SUITE_P(FakeCuda, Tokens, ::testing::Values(On::FakeCuda));
#endif

} // namespace
} // namespace gs::test
