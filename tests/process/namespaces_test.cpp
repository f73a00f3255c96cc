// SPDX-License-Identifier: Apache-2.0
// Tokens and interprocess events between pid namespaces of one host, as containers are. Each program that `unshare --fork`
// starts has the number 1 in its namespace, so two of them differ by more than a number only.
#include <unistd.h>

#include "token_peer.hpp"

namespace gs::test {
namespace {

using Words = std::vector<std::string>;

// Where a process runs: the words in front of its command.
struct Place {
    const char *name;
    Words words;
};

Words unshared(const Words &more) {
    Words words = {"unshare"};
    if (geteuid() != 0) words.insert(words.end(), {"--user", "--map-root-user"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Place here() { return {"here", {}}; }
Place container() { return {"container", unshared({"--pid", "--fork", "--kill-child", "--mount-proc"})}; }
Place without_proc() { return {"without_proc", unshared({"--pid", "--fork", "--kill-child"})}; }
Place other_user() {
    return {"other_user", {"unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"}};
}

bool may_unshare(const Place &place) {
    Words command = place.words;
    command.emplace_back("true");
    return place.words.empty() || run(command).clean();
}

class Namespaces : public ::testing::TestWithParam<std::pair<Place, Place>> {
protected:
    void SetUp() override {
        for (const Place &place : {GetParam().first, GetParam().second})
            if (!may_unshare(place)) GTEST_SKIP() << "unshare is not permitted: " << place.name;
    }
    TokenPeer maker(On on = On::Host) const { return TokenPeer(peer_variables(folder, on), GetParam().first.words); }
    TokenPeer reader(On on = On::Host) const { return TokenPeer(peer_variables(folder, on), GetParam().second.words); }
    Peer event_peer(const Place &place) const { return Peer(folder.variables(), place.words); }
    SharedFolder folder;
};

TEST_P(Namespaces, ATokenIsWaitedForAndItsLeaseEnds) {
    TokenPeer a = maker(), b = reader();
    a.ok({"hold"});
    const std::string token = a.token();
    EXPECT_EQ(b.say("status " + token), "GS_NOT_READY");
    b.ok({"wait " + token, "mark"});
    EXPECT_EQ(b.say("pending"), "GS_OK 0");
    a.ok({"release"});
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    EXPECT_EQ(b.settled(token), "GS_OK");
    a.ok({"many 300"});
    EXPECT_EQ(b.say("status " + token), "call: GS_ERROR_INVALID_HANDLE");
    b.end();
    a.end();
}

TEST_P(Namespaces, TheMakersDeathIsSeenOnceItIsThere) {
    TokenPeer a = maker(), b = reader(), c = reader();
    a.ok({"hold"});
    const std::string token = a.token();
    b.ok({"wait " + token});
    for (int i = 0; i < 20; ++i) EXPECT_EQ(b.say("status " + token), "GS_NOT_READY");
    a.kill();
    EXPECT_EQ(b.settled(token), "GS_ERROR_PEER_LOST");
    EXPECT_EQ(b.say("finish"), "GS_ERROR_PEER_LOST") << "the stream that waited";
    EXPECT_EQ(c.settled(token), "GS_ERROR_PEER_LOST") << "which had not seen it before";
    c.end();
    b.end();
}

TEST_P(Namespaces, KilledReadersLeaveTheirPlaces) {
    TokenPeer a = maker();
    for (int i = 0; i < 70; ++i) { // a file has 64
        const std::string token = a.token();
        TokenPeer b = reader();
        EXPECT_EQ(b.settled(token), "GS_OK") << i;
        b.kill();
    }
    a.end();
}

TEST_P(Namespaces, OnlyTheFilesOfTheDeadAreSwept) {
    TokenPeer a = maker(), dead = maker();
    a.ok({"hold"});
    const std::string kept = a.token(), lost = dead.token();
    dead.kill();
    TokenPeer b = reader();
    (void)b.token(); // the first one of a process removes files
    folder.await(4); // two of each living process
    TokenPeer c = reader();
    EXPECT_EQ(c.say("status " + kept), "GS_NOT_READY");
    EXPECT_EQ(c.say("status " + lost), "GS_ERROR_PEER_LOST");
    for (TokenPeer *peer : {&a, &b, &c}) peer->end();
}

TEST_P(Namespaces, AnEventGoesBothWays) {
    Peer a = event_peer(GetParam().first), b = event_peer(GetParam().second);
    b.ok({"open " + a.create_and_export()});
    a.ok({"hold", "record"});
    b.ok({"wait", "mark"});
    a.ok({"release"});
    b.ok({"finish"});
    EXPECT_EQ(b.say("marked"), "1");
    b.ok({"hold", "record"});
    a.ok({"wait"});
    b.kill();
    EXPECT_EQ(a.say("finish"), "GS_ERROR_PEER_LOST");
    a.end();
}

TEST_P(Namespaces, AnEventIsLostWithItsExporter) {
    Peer a = event_peer(GetParam().first), b = event_peer(GetParam().second);
    const std::string handle = a.create_and_export();
    b.ok({"open " + handle});
    a.ok({"hold", "record"});
    a.kill();
    EXPECT_EQ(b.say("synchronize"), "GS_ERROR_PEER_LOST");
    Peer c = event_peer(GetParam().second);
    EXPECT_EQ(c.say("open " + handle), "GS_ERROR_PEER_LOST");
    c.end();
    b.end();
}

#if defined(GS_TEST_FAKE_CUDA)
// The driver refuses its interprocess events there, and the end of a process would stay unseen.
TEST_P(Namespaces, TheCudaBackendRefusesTokens) {
    TokenPeer a = maker(On::FakeCuda), b = reader(On::FakeCuda);
    const std::string token = a.token();
    EXPECT_EQ(b.say("status " + token), "call: GS_ERROR_NOT_SUPPORTED");
    EXPECT_EQ(b.say("wait " + token), "GS_ERROR_NOT_SUPPORTED");
    EXPECT_NE(b.say("reason").find("another pid namespace"), std::string::npos) << b.say("reason");
    EXPECT_EQ(a.settled(token), "GS_OK");
    b.end();
    a.end();
}
#endif

INSTANTIATE_TEST_SUITE_P(Into, Namespaces, ::testing::Values(std::make_pair(here(), container())));
INSTANTIATE_TEST_SUITE_P(OutOf, Namespaces, ::testing::Values(std::make_pair(container(), here())));
INSTANTIATE_TEST_SUITE_P(Between, Namespaces, ::testing::Values(std::make_pair(container(), container())));
INSTANTIATE_TEST_SUITE_P(WithoutProc, Namespaces, ::testing::Values(std::make_pair(without_proc(), without_proc())));
INSTANTIATE_TEST_SUITE_P(OfUsers, Namespaces, ::testing::Values(std::make_pair(other_user(), here())));

// The same path, another file system: what the token names can never be found.
TEST(OtherFolder, IsRefusedWithTheReason) {
    SharedFolder folder;
    const Place place{
        "mounts", unshared({"--mount", "sh", "-c", "mount -t tmpfs none \"$GPUSTREAM_SHM_DIR\" && exec \"$@\"", "-"})};
    const Variables variables = peer_variables(folder, On::Host);
    Words command = place.words;
    command.emplace_back("true");
    if (!run(command, variables).clean()) GTEST_SKIP() << "mounting is not permitted";
    TokenPeer a(variables), b(variables, place.words);
    for (TokenPeer *from : {&a, &b}) {
        TokenPeer &to = from == &a ? b : a;
        const std::string token = from->token();
        EXPECT_EQ(to.say("status " + token), "call: GS_ERROR_NOT_SUPPORTED");
        EXPECT_EQ(to.say("wait " + token), "GS_ERROR_NOT_SUPPORTED");
        EXPECT_NE(to.say("reason").find("GPUSTREAM_SHM_DIR"), std::string::npos);
    }
    Peer c(folder.variables()), d(folder.variables(), place.words);
    EXPECT_EQ(d.say("open " + c.create_and_export()), "GS_ERROR_NOT_SUPPORTED");
    EXPECT_EQ(c.say("open " + d.create_and_export()), "GS_ERROR_NOT_SUPPORTED");
    d.end();
    c.end();
    b.end();
    a.end();
}

} // namespace
} // namespace gs::test
