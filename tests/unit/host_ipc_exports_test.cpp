// SPDX-License-Identifier: Apache-2.0
// What exporting costs in files and mappings, and what is swept.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "backend/host/ipc/ipc_layout.hpp"
#include "base/shared_file.hpp"
#include "unit/host_ipc_support.hpp"

namespace gs::host {
namespace {

constexpr size_t kExports = 100'000;
constexpr size_t kFiles = (kExports + IpcShared::kCells - 1) / IpcShared::kCells;

class HostIpcExports : public HostIpc {
protected:
    Event *new_event() {
        Event *event = nullptr;
        EXPECT_EQ(engine_->event_create(device(), {false, false, true}, &event), Result::Ok);
        return event;
    }
    IpcHandle export_of(Event *event) {
        IpcHandle handle;
        EXPECT_EQ(engine_->ipc_export(*event, &handle), Result::Ok);
        return handle;
    }
};

TEST_F(HostIpcExports, AHundredThousandTakeFewFilesAndNoDescriptor) {
    const size_t open_before = Directory::names_in("/proc/self/fd").size();
    std::vector<Event *> events;
    for (size_t i = 0; i < kExports; ++i) {
        events.push_back(new_event());
        export_of(events.back());
    }
    EXPECT_EQ(directory_.names().size(), kFiles);
    while (Directory::names_in("/proc/self/fd").size() > open_before) sched_yield(); // until the sweep has ended
    for (Event *event : events) engine_->event_destroy(*event);
    EXPECT_TRUE(directory_.names().empty());
    peer_.quit();
}

// Only the first call may look into the directory: it is away during the others.
TEST_F(HostIpcExports, AnExportTouchesNoFile) {
    exported();
    const std::string away = directory_.path() + "-away";
    ASSERT_EQ(rename(directory_.path().c_str(), away.c_str()), 0);
    std::vector<Event *> events;
    for (uint32_t i = 1; i < IpcShared::kCells; ++i) {
        events.push_back(new_event());
        export_of(events.back());
    }
    Event *one_more = new_event();
    IpcHandle handle;
    EXPECT_EQ(engine_->ipc_export(*one_more, &handle), Result::System) << "the next file is due";
    for (int round = 0; round < 10'000; ++round) { // cells are used again
        engine_->event_destroy(*events.back());
        events.back() = new_event();
        export_of(events.back());
    }
    ASSERT_EQ(rename(away.c_str(), directory_.path().c_str()), 0);
    EXPECT_EQ(directory_.names().size(), 1u);
    peer_.quit();
}

TEST_F(HostIpcExports, AnImporterMapsAnArenaOnce) {
    for (int i = 0; i < 100; ++i) ASSERT_EQ(peer_.tell("open " + to_hex(export_of(new_event()))), Result::Ok);
    EXPECT_EQ(peer_.ask("mapped"), "1");
    peer_.quit();
}

TEST_F(HostIpcExports, TheLastEventClosedUnmapsIt) {
    open_in_peer();
    EXPECT_EQ(peer_.ask("mapped"), "1");
    ASSERT_EQ(peer_.tell("destroy"), Result::Ok);
    EXPECT_EQ(peer_.ask("mapped"), "0");
    peer_.quit();
}

// An event that others have open keeps its cell, whatever the exporter does.
TEST_F(HostIpcExports, ACellIsNotUsedAgainWhileItIsOpenElsewhere) {
    Event *const pins_the_arena = new_event();
    export_of(pins_the_arena);
    const IpcHandle old = exported();
    ASSERT_EQ(peer_.tell("open " + to_hex(old)), Result::Ok);
    engine_->event_destroy(*event_);
    EXPECT_EQ(other_peer_.tell("open " + to_hex(old)), Result::PeerLost);
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    std::vector<Event *> events;
    for (uint32_t i = 0; i < 2 * IpcShared::kCells; ++i) {
        events.push_back(new_event());
        const IpcHandle handle = export_of(events.back());
        EXPECT_FALSE(handle.cell == old.cell && handle.nonce == old.nonce) << i;
        EXPECT_EQ(engine_->event_query(*events.back()), Result::Ok);
    }
    EXPECT_EQ(peer_.tell("query"), Result::NotReady);
    peer_.quit(); // without having closed it
    other_peer_.quit();
}

TEST_F(HostIpcExports, ACellThatWasClosedIsUsedAgain) {
    Event *const pins_the_arena = new_event();
    export_of(pins_the_arena);
    const IpcHandle old = exported();
    ASSERT_EQ(peer_.tell("open " + to_hex(old)), Result::Ok);
    engine_->event_destroy(*event_);
    ASSERT_EQ(peer_.tell("destroy"), Result::Ok);
    bool again = false;
    for (uint32_t i = 0; i < IpcShared::kCells && !again; ++i) again = export_of(new_event()).cell == old.cell;
    EXPECT_TRUE(again);
    EXPECT_EQ(peer_.tell("open " + to_hex(old)), Result::PeerLost) << "another event has the cell";
    peer_.quit();
}

TEST_F(HostIpcExports, AGraphCannotRecordTheEvent) {
    Graph *graph = nullptr;
    GraphNode *node = nullptr;
    ASSERT_EQ(engine_->graph_create(device(), &graph), Result::Ok);
    NodeBody body;
    body.kind = NodeKind::Record;
    body.action = NodeAction::Record;
    body.event = event_;
    body.device = &device();
    EXPECT_EQ(engine_->graph_add(*graph, body, nullptr, 0, &node), Result::InterprocessRecord);
    peer_.quit();
}

class HostIpcSweep : public ::testing::Test {
protected:
    static ProcessIdentity dead_process() {
        ProcessIdentity dead;
        EXPECT_TRUE(this_process(&dead).ok());
        dead.life += 1; // of no process
        return dead;
    }
    std::string put(const ProcessIdentity &process, uint64_t nonce, mode_t mode = 0600) {
        char name[kSharedNameSize];
        shared_file_name(process, nonce, name);
        const std::string path = directory_.path() + "/" + name;
        std::ofstream(path) << "x";
        EXPECT_EQ(chmod(path.c_str(), mode), 0);
        return path;
    }
    int sweep() {
        SharedSweep sweep;
        int steps = 1;
        sweep.begin(directory_.path().c_str());
        while (sweep.step()) ++steps;
        return steps;
    }
    Directory directory_;
};

TEST_F(HostIpcSweep, RemovesOnlyWhatADeadProcessOfThisUserMade) {
    ProcessIdentity alive;
    ASSERT_TRUE(this_process(&alive).ok());
    std::vector<std::string> stay = {put(alive, 1), put(dead_process(), 4, 0644)};
    if (geteuid() == 0) {
        stay.push_back(put(dead_process(), 2));
        ASSERT_EQ(chown(stay.back().c_str(), 65534, 65534), 0) << "another user's";
    }
    const std::string link = put(dead_process(), 5), folder = put(dead_process(), 6), pipe = put(dead_process(), 7);
    for (const std::string &path : {link, folder, pipe}) ASSERT_EQ(unlink(path.c_str()), 0);
    ASSERT_EQ(symlink(stay[0].c_str(), link.c_str()), 0);
    ASSERT_EQ(mkdir(folder.c_str(), 0600), 0);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    put(dead_process(), 8);
    put(dead_process(), 9);
    sweep();
    EXPECT_EQ(directory_.names().size(), stay.size() + 3);
    ASSERT_EQ(rmdir(folder.c_str()), 0);
    for (const std::string &path : stay) EXPECT_EQ(access(path.c_str(), F_OK), 0) << path;
}

TEST_F(HostIpcSweep, RemovesTheFilesOfLivesWhoseLockIsFree) {
    const auto life = [this](char digit) { return directory_.path() + "/gpustream-" + std::string(16, digit); };
    for (const char digit : {'1', '2'}) {
        std::ofstream(life(digit)) << "";
        ASSERT_EQ(chmod(life(digit).c_str(), 0600), 0);
    }
    const int held = open(life('1').c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(flock(held, LOCK_EX), 0);
    sweep();
    EXPECT_EQ(access(life('1').c_str(), F_OK), 0);
    EXPECT_NE(access(life('2').c_str(), F_OK), 0);
    close(held);
    sweep();
    EXPECT_TRUE(directory_.names().empty());
}

TEST_F(HostIpcSweep, GoesInStepsOfBoundedWork) {
    for (uint64_t i = 0; i < 100; ++i) put(dead_process(), i);
    EXPECT_GE(sweep(), 100 / 16) << "at most 16 looks at processes in each";
    EXPECT_TRUE(directory_.names().empty());
    for (int i = 0; i < 1000; ++i) std::ofstream(directory_.path() + "/other-" + std::to_string(i));
    EXPECT_GE(sweep(), 1000 / 256) << "at most 256 entries in each";
    EXPECT_EQ(directory_.names().size(), 1000u);
}

TEST_F(HostIpcSweep, ADirectoryThatIsNotThereIsNothingToDo) {
    SharedSweep sweep;
    sweep.begin("/nonexistent/directory");
    EXPECT_FALSE(sweep.step());
}

} // namespace
} // namespace gs::host
