// SPDX-License-Identifier: Apache-2.0
// Lanes of an arena: owned, given back, lost with their process, all taken.
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <thread>

#include "backend/host/ipc/ipc_layout.hpp"
#include "unit/host_ipc_support.hpp"

namespace gs::host {
namespace {

ProcessIdentity self() {
    ProcessIdentity identity;
    EXPECT_TRUE(this_process(&identity).ok());
    return identity;
}

ProcessIdentity dead(uint64_t which = 1) {
    ProcessIdentity identity = self();
    identity.life += which; // of no process
    return identity;
}

class Lanes : public ::testing::Test {
protected:
    struct Owned {
        uint32_t number;
        uint64_t issued;
    };
    Owned claim(const ProcessIdentity &owner, uint32_t from = 0) {
        Owned owned{};
        EXPECT_TRUE(claim_lane(*shared_, owner, from, &owned.number, &owned.issued));
        return owned;
    }
    // As a process does it that may die at any moment.
    RecordWord record(Owned &lane, IpcCell &cell) {
        shared_->lanes[lane.number].issued.store(++lane.issued);
        cell.newest.store(record_word(lane.number, lane.issued));
        return cell.newest.load();
    }
    void fill(const ProcessIdentity &owner) {
        for (uint32_t i = 0; i < IpcShared::kLanes; ++i) claim(owner, i);
    }
    Result state(const IpcCell &cell) {
        RecordWord word;
        uint64_t owner;
        return newest_record(*shared_, cell, &word, &owner) ? record_state(*shared_, word, owner) : Result::Ok;
    }
    uint64_t owner_of(const Owned &lane) { return shared_->lanes[lane.number].owner.load(); }

    std::unique_ptr<IpcShared> shared_ = std::make_unique<IpcShared>();
    IpcCell &cell_ = shared_->cells[0], &other_ = shared_->cells[1];
};

TEST_F(Lanes, AreRefusedWhenLiveProcessesOwnThemAll) {
    fill(self());
    uint32_t number;
    uint64_t issued;
    EXPECT_FALSE(claim_lane(*shared_, self(), 0, &number, &issued));
    leave_lane(shared_->lanes[77]);
    EXPECT_TRUE(claim_lane(*shared_, self(), 0, &number, &issued));
    EXPECT_EQ(number, 77u);
}

TEST_F(Lanes, NumbersGoOnUnderAnotherOwner) {
    Owned first = claim(self());
    const RecordWord word = record(first, cell_);
    complete_lane(shared_->lanes[first.number], first.issued);
    const uint64_t owner = owner_of(first);
    leave_lane(shared_->lanes[first.number]);
    Owned second = claim(self(), first.number);
    ASSERT_EQ(second.number, first.number);
    EXPECT_EQ(second.issued, 1u);
    record(second, other_);
    EXPECT_EQ(record_state(*shared_, word, owner), Result::Ok) << "complete under its owner, and still";
    EXPECT_EQ(state(cell_), Result::Ok);
    EXPECT_EQ(state(other_), Result::NotReady);
}

TEST_F(Lanes, OfADeadProcessServeOthersAndItsRecordsStayLost) {
    fill(dead());
    Owned lane{5, 0};
    record(lane, cell_);
    complete_lane(shared_->lanes[5], 1);
    const RecordWord lost = record(lane, other_);
    const uint64_t owner = owner_of(lane);
    EXPECT_EQ(record_state(*shared_, lost, owner), Result::NotReady) << "the death was not noticed yet";
    Owned next = claim(self(), 5);
    ASSERT_EQ(next.number, 5u);
    EXPECT_EQ(next.issued, 2u);
    IpcCell &third = shared_->cells[2];
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(record_state(*shared_, lost, owner), Result::PeerLost) << "a wait from before";
        EXPECT_EQ(state(other_), Result::PeerLost);
        EXPECT_EQ(state(cell_), Result::Ok) << "it was complete";
        record(next, third);
        EXPECT_EQ(state(third), Result::NotReady);
        complete_lane(shared_->lanes[5], next.issued);
        EXPECT_EQ(state(third), Result::Ok);
    }
}

TEST_F(Lanes, LostTwiceNeverCompleteALostRecord) {
    RecordWord lost[2];
    uint64_t owners[2];
    IpcCell &complete = shared_->cells[2];
    fill(dead());
    Owned lane{9, 0};
    for (int i : {0, 1}) {
        record(lane, complete);
        complete_lane(shared_->lanes[9], lane.issued);
        lost[i] = record(lane, i == 0 ? cell_ : other_);
        owners[i] = owner_of(lane);
        lane = claim(i == 0 ? dead(2) : self(), 9);
        ASSERT_EQ(lane.number, 9u);
        EXPECT_EQ(state(complete), Result::Ok);
    }
    record(lane, shared_->cells[3]);
    complete_lane(shared_->lanes[9], lane.issued);
    EXPECT_EQ(state(shared_->cells[3]), Result::Ok);
    for (int i : {0, 1}) EXPECT_EQ(record_state(*shared_, lost[i], owners[i]), Result::PeerLost) << i;
    EXPECT_EQ(state(cell_), Result::PeerLost);
    EXPECT_EQ(state(other_), Result::PeerLost);
    EXPECT_EQ(state(complete), Result::Ok);
}

// A process that dies between taking a lane and owning it must not make others wait.
TEST_F(Lanes, AnUnfinishedHandOverEndsTheWaits) {
    Owned lane = claim(dead());
    const RecordWord word = record(lane, cell_);
    const uint64_t owner = owner_of(lane);
    shared_->lanes[lane.number].owner.store((owner / 4 + 1) * 4 + 1); // and its new owner never came further
    EXPECT_EQ(record_state(*shared_, word, owner), Result::PeerLost);
    EXPECT_EQ(state(cell_), Result::PeerLost);
}

TEST_F(Lanes, AProcessThatDiedBeforeItNamedTheRecordLosesNothing) {
    fill(dead());
    shared_->lanes[3].issued.store(1); // no event names it
    Owned next = claim(self(), 3);
    EXPECT_EQ(next.issued, 1u);
    record(next, cell_);
    complete_lane(shared_->lanes[3], next.issued);
    EXPECT_EQ(state(cell_), Result::Ok);
}

// Whatever another process of the user writes: no access beyond the arena, and an answer.
TEST_F(Lanes, AWordThatNamesNoLaneIsLost) {
    for (uint32_t lane = IpcShared::kLanes; lane <= kNoLane; ++lane) {
        cell_.newest.store(record_word(lane, 3));
        EXPECT_EQ(state(cell_), Result::PeerLost) << lane;
    }
    cell_.newest.store(kDoneRecord);
    EXPECT_EQ(state(cell_), Result::Ok);
}

// The lane of a stream that failed ends the waits, whatever another process wrote over its owner.
TEST_F(Lanes, AnAbandonedLaneEndsTheWaits) {
    for (uint64_t state_of_lane = 0; state_of_lane < 4; ++state_of_lane) {
        Owned lane = claim(self());
        const RecordWord word = record(lane, cell_);
        const uint64_t owner = owner_of(lane);
        ASSERT_EQ(state(cell_), Result::NotReady);
        shared_->lanes[lane.number].owner.store(owner / 4 * 4 + state_of_lane);
        abandon_lane(shared_->lanes[lane.number]);
        EXPECT_EQ(record_state(*shared_, word, owner), Result::PeerLost) << state_of_lane;
        EXPECT_EQ(state(cell_), Result::PeerLost) << state_of_lane;
    }
}

TEST_F(Lanes, OneLookTellsAllProcesses) {
    Owned lane = claim(dead());
    const RecordWord word = record(lane, cell_);
    look_for_owner(*shared_, word, owner_of(lane));
    EXPECT_EQ(state(cell_), Result::PeerLost);
    Owned mine = claim(self(), 100);
    const RecordWord alive = record(mine, other_);
    look_for_owner(*shared_, alive, owner_of(mine));
    EXPECT_EQ(state(other_), Result::NotReady);
}

// While the last lane is in use a record fails, and the event is as it was; then it works again.
TEST_F(HostIpc, ARecordWithoutALaneIsAStatus) {
    open_in_peer();
    std::vector<Stream *> streams;
    for (uint32_t i = 0; i < IpcShared::kLanes; ++i) {
        streams.push_back(&new_stream());
        record_held(*streams.back());
    }
    ASSERT_EQ(engine_->event_record(*event_, new_stream(), false), Result::Ok) << "an idle stream needs none";
    Stream &late = new_stream();
    ASSERT_EQ(engine_->stream_wait_gate(late, *gate_), Result::Ok);
    EXPECT_EQ(engine_->event_record(*event_, late, false), Result::NoRoom);
    EXPECT_EQ(engine_->event_query(*event_), Result::Ok) << "the event's record is still the one before";
    EXPECT_EQ(peer_.tell("query"), Result::Ok);
    EXPECT_EQ(engine_->event_record(*event_, *streams[0], false), Result::Ok) << "a lane takes any number of records";
    EXPECT_EQ(engine_->event_query(*event_), Result::NotReady);
    engine_->gate_open(*gate_);
    EXPECT_EQ(engine_->event_synchronize(*event_), Result::Ok);
    for (Stream *stream : streams) ASSERT_EQ(engine_->stream_synchronize(*stream), Result::Ok);
    Record *gate = engine_->gate_create(device());
    ASSERT_EQ(engine_->stream_wait_gate(late, *gate), Result::Ok);
    EXPECT_EQ(engine_->event_record(*event_, late, false), Result::Ok);
    engine_->gate_open(*gate);
    EXPECT_EQ(peer_.tell("synchronize"), Result::Ok);
    gate->release();
    peer_.quit();
}

// main() ended by pthread_exit, other threads go on: the process is no zombie although its first thread is.
TEST(ProcessIdentity, AProcessLivesAsLongAsAnyOfItsThreads) {
    test::Child child = test::Child::fork_only([]() -> int {
        std::thread([] {
            ProcessIdentity identity;
            if (!make_identity(&identity).ok()) _exit(1);
            dprintf(STDOUT_FILENO, "%llu\n", static_cast<unsigned long long>(identity.life));
            char byte;
            _exit(read(STDIN_FILENO, &byte, 1) == 1 ? 0 : 2);
        }).detach();
        syscall(SYS_exit, 0); // as pthread_exit, which would unwind the test's frames
        return 3;
    });
    std::string line;
    ASSERT_TRUE(child.read_line(&line));
    ProcessIdentity identity = self();
    identity.pid = static_cast<uint32_t>(child.pid());
    identity.life = std::stoull(line);
    const std::string path = "/proc/" + std::to_string(child.pid()) + "/stat";
    for (std::string text; text.find(") Z ") == std::string::npos;) {
        ASSERT_FALSE(is_dead(identity));
        std::ifstream file(path);
        std::getline(file, text);
    }
    EXPECT_FALSE(is_dead(identity)) << "its first thread is a zombie now";
    child.send("end");
    const test::Outcome outcome = child.wait();
    EXPECT_TRUE(outcome.clean()) << test::describe(outcome);
    EXPECT_TRUE(is_dead(identity));
}

} // namespace
} // namespace gs::host
