// SPDX-License-Identifier: Apache-2.0
// Interprocess events between real processes.
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "base/status.hpp"
#include "unit/host_ipc_support.hpp"

namespace gs::host {
namespace {

TEST_F(HostIpc, ARecordHereIsWaitedForThere) {
    open_in_peer();
    EXPECT_EQ(peer_.tell("query"), Result::Ok) << "never recorded";
    ASSERT_EQ(engine_->stream_wait_gate(*stream_, *gate_), Result::Ok);
    ASSERT_EQ(engine_->event_record(*event_, *stream_, false), Result::Ok);
    EXPECT_EQ(peer_.tell("query"), Result::NotReady);
    EXPECT_EQ(peer_.tell("wait"), Result::Ok);
    EXPECT_EQ(peer_.tell("stream"), Result::NotReady);
    peer_.send("synchronize");
    engine_->gate_open(*gate_);
    EXPECT_EQ(peer_.later(), Result::Ok);
    EXPECT_EQ(peer_.tell("release"), Result::Ok) << "the peer's stream is done";
    EXPECT_EQ(peer_.tell("query"), Result::Ok);
    peer_.quit();
}

TEST_F(HostIpc, ARecordThereIsWaitedForHere) {
    open_in_peer();
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    EXPECT_EQ(engine_->event_query(*event_), Result::NotReady);
    ASSERT_EQ(engine_->stream_wait(*stream_, *event_, false), Result::Ok);
    EXPECT_EQ(engine_->stream_query(*stream_), Result::NotReady);
    ASSERT_EQ(peer_.tell("release"), Result::Ok);
    EXPECT_EQ(engine_->event_synchronize(*event_), Result::Ok);
    EXPECT_EQ(engine_->stream_synchronize(*stream_), Result::Ok);
    peer_.quit();
}

TEST_F(HostIpc, AWaitIsBoundToTheRecordOfItsTime) {
    open_in_peer();
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(*stream_, *event_, false), Result::Ok); // waits for the peer's
    Stream *other = nullptr;
    ASSERT_EQ(engine_->stream_create(device(), 0, false, &other), Result::Ok);
    ASSERT_EQ(engine_->event_record(*event_, *other, false), Result::Ok); // newer, and complete at once
    EXPECT_EQ(engine_->event_query(*event_), Result::Ok);
    EXPECT_EQ(peer_.tell("query"), Result::Ok);
    EXPECT_EQ(engine_->stream_query(*stream_), Result::NotReady)
        << "the newer record's completion is not the older one's";
    ASSERT_EQ(peer_.tell("release"), Result::Ok);
    EXPECT_EQ(engine_->stream_synchronize(*stream_), Result::Ok);
    peer_.quit();
}

TEST_F(HostIpc, ARecordPendingAtExportIsSeen) {
    ASSERT_EQ(engine_->stream_wait_gate(*stream_, *gate_), Result::Ok);
    ASSERT_EQ(engine_->event_record(*event_, *stream_, false), Result::Ok);
    open_in_peer();
    EXPECT_EQ(engine_->event_query(*event_), Result::NotReady);
    EXPECT_EQ(peer_.tell("query"), Result::NotReady);
    engine_->gate_open(*gate_);
    EXPECT_EQ(peer_.tell("synchronize"), Result::Ok);
    EXPECT_EQ(engine_->event_synchronize(*event_), Result::Ok);
    peer_.quit();
}

TEST_F(HostIpc, ACrashedRecorderIsNoticed) {
    open_in_peer();
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(*stream_, *event_, false), Result::Ok);
    bool ran = false;
    ASSERT_EQ(engine_->launch(*stream_, Task{[](void *arg) { *static_cast<bool *>(arg) = true; }, nullptr, &ran}),
              Result::Ok);
    Event *behind = nullptr;
    ASSERT_EQ(engine_->event_create(device(), {}, &behind), Result::Ok);
    ASSERT_EQ(engine_->event_record(*behind, *stream_, false), Result::Ok);
    std::thread waiter([&] { EXPECT_EQ(engine_->event_synchronize(*event_), Result::PeerLost); });
    peer_.crash();
    waiter.join();
    EXPECT_EQ(engine_->stream_synchronize(*stream_), Result::PeerLost);
    EXPECT_EQ(engine_->stream_query(*stream_), Result::PeerLost);
    EXPECT_EQ(engine_->event_synchronize(*behind), Result::PeerLost);
    EXPECT_FALSE(ran) << "work after the lost work was not run";
    EXPECT_EQ(device().health.load(), 0u) << "only that stream has failed";
    Stream *fresh = nullptr;
    ASSERT_EQ(engine_->stream_create(device(), 0, false, &fresh), Result::Ok);
    ASSERT_EQ(engine_->event_record(*event_, *fresh, false), Result::Ok) << "the event lives on";
    EXPECT_EQ(engine_->event_query(*event_), Result::Ok);
}

TEST_F(HostIpc, ADeadExportersEventIsLostAndItsNameSwept) {
    const IpcHandle handle = from_hex(peer_.ask("export"));
    ASSERT_EQ(directory_.names().size(), 1u);
    Event *opened = nullptr;
    ASSERT_EQ(open_here(handle, &opened), Result::Ok);
    peer_.crash();
    Event *again = nullptr;
    EXPECT_EQ(directory_.names().size(), 1u) << "left behind by the crash";
    EXPECT_EQ(open_here(handle, &again), Result::PeerLost);
    directory_.await(0);
    EXPECT_EQ(engine_->event_query(*opened), Result::Ok) << "the mapping stays valid";
    exported();
    directory_.await(1); // its name is removed, ours exists
    engine_->event_destroy(*opened);
    engine_->event_destroy(*event_);
    EXPECT_TRUE(directory_.names().empty());
}

TEST_F(HostIpc, AnEventThatItsExporterDestroyedIsLost) {
    const IpcHandle handle = from_hex(peer_.ask("export"));
    ASSERT_EQ(peer_.tell("destroy"), Result::Ok);
    EXPECT_TRUE(directory_.names().empty());
    Event *opened = nullptr;
    EXPECT_EQ(open_here(handle, &opened), Result::PeerLost);
    peer_.quit();
}

TEST_F(HostIpc, OnlyTheRightBytesAreAccepted) {
    Event *opened = nullptr;
    IpcHandle handle = exported();
    EXPECT_EQ(open_here(handle, &opened), Result::NotSupported) << "exported by this process";
    EXPECT_EQ(to_hex(exported()), to_hex(handle)) << "exported twice, the same";
    std::string text = to_hex(from_hex(peer_.ask("export")));
    for (size_t i = 0; i < text.size(); ++i) {
        std::string wrong = text;
        wrong[i] = wrong[i] == '0' ? '1' : '0';
        EXPECT_EQ(open_here(from_hex(wrong), &opened), Result::NotAHandle) << "digit " << i;
    }
    EXPECT_EQ(engine_->ipc_open(engine_->device(1), from_hex(text), &opened), Result::WrongDevice);
    Event *plain = nullptr;
    ASSERT_EQ(engine_->event_create(device(), {}, &plain), Result::Ok);
    EXPECT_EQ(engine_->ipc_export(*plain, &handle), Result::InvalidValue);
    ASSERT_EQ(open_here(from_hex(text), &opened), Result::Ok);
    EXPECT_EQ(engine_->ipc_export(*opened, &handle), Result::NotSupported);
    peer_.quit();
}

TEST_F(HostIpc, AFileThatIsNotOursIsRefused) {
    const IpcHandle handle = from_hex(peer_.ask("export"));
    ASSERT_EQ(directory_.names().size(), 1u);
    const std::string file = directory_.path() + "/" + directory_.names()[0];
    struct stat status{};
    ASSERT_EQ(stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_EQ(status.st_size, static_cast<off_t>(kArenaBytes));
    EXPECT_GE(status.st_blocks * 512, static_cast<blkcnt_t>(kArenaBytes)) << "the space is reserved";
    Event *opened = nullptr;
    ASSERT_EQ(chmod(file.c_str(), 0644), 0);
    EXPECT_EQ(open_here(handle, &opened), Result::NotAHandle) << "others may read it";
    ASSERT_EQ(chmod(file.c_str(), 0600), 0);
    ASSERT_EQ(truncate(file.c_str(), 100), 0);
    EXPECT_EQ(open_here(handle, &opened), Result::NotAHandle) << "too short: touching it would be SIGBUS";
    ASSERT_EQ(truncate(file.c_str(), 0), 0);
    ASSERT_EQ(truncate(file.c_str(), kArenaBytes), 0);
    EXPECT_EQ(open_here(handle, &opened), Result::NotAHandle) << "its content is invalid";
    ASSERT_EQ(rename(file.c_str(), (file + "x").c_str()), 0);
    ASSERT_EQ(symlink((file + "x").c_str(), file.c_str()), 0);
    EXPECT_EQ(open_here(handle, &opened), Result::NotAHandle) << "a symbolic link is not followed";
    peer_.crash();
}

TEST_F(HostIpc, WithoutADirectoryOrRoomItIsAStatus) {
    EngineOptions options;
    options.shm_directory = "/nonexistent/directory";
    Engine *engine = Engine::create(options);
    Event *event = nullptr;
    IpcHandle handle;
    ASSERT_EQ(engine->event_create(engine->device(0), {false, false, true}, &event), Result::Ok);
    EXPECT_EQ(engine->ipc_export(*event, &handle), Result::System);
    EXPECT_EQ(this_thread()->pending.native_code, ENOENT);
    EXPECT_THAT(pending_text(), ::testing::HasSubstr("(GPUSTREAM_SHM_DIR names another folder"))
        << "as without /dev/shm";
    EXPECT_EQ(engine->event_query(*event), Result::Ok) << "the event is as it was";
    peer_.quit();
}

// In a child, with a file system of one page if that is permitted, else with a file size limit.
int export_without_room(const std::string &directory) {
    Result expected = Result::NoRoom;
    const bool mounted = unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("none", directory.c_str(), "tmpfs", 0, "size=4096") == 0;
    if (!mounted) {
        const rlimit limit{kArenaBytes / 2, kArenaBytes / 2};
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
        expected = Result::System;
    }
    EngineOptions options;
    options.shm_directory = directory.c_str();
    Engine *engine = Engine::create(options);
    Event *event = nullptr;
    IpcHandle handle;
    if (engine->event_create(engine->device(0), {false, false, true}, &event) != Result::Ok) return 3;
    for (int i = 0; i < 3; ++i)
        if (engine->ipc_export(*event, &handle) != expected) return 4;
    if (!Directory::names_in(directory).empty()) return 5; // an unusable file was left behind
    return engine->event_query(*event) == Result::Ok ? 0 : 6;
}

TEST(HostIpcRoom, AFullDirectoryIsAStatus) {
    Directory directory;
    const test::Outcome outcome = test::run_forked([&] { return export_without_room(directory.path()); });
    EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
}

} // namespace
} // namespace gs::host
