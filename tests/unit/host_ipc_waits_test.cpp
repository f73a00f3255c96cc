// SPDX-License-Identifier: Apache-2.0
// A wait on an interprocess event keeps to the record that it saw, and a lost record stays lost.
#include <atomic>
#include <thread>

#include "unit/host_ipc_support.hpp"

namespace gs::host {
namespace {

class HostIpcWaits : public HostIpc, public ::testing::WithParamInterface<int> {};

TEST_P(HostIpcWaits, OutlastLaterRecordsOfTheExporter) {
    open_in_peer();
    record_held(*stream_);
    ASSERT_EQ(peer_.tell("wait"), Result::Ok);
    Stream &idle = new_stream();
    for (int i = 0; i < GetParam(); ++i) ASSERT_EQ(engine_->event_record(*event_, idle, false), Result::Ok);
    EXPECT_EQ(peer_.tell("query"), Result::Ok) << "the newest record is complete";
    EXPECT_EQ(peer_.tell("stream"), Result::NotReady) << "but not the one that the stream waits for";
    engine_->gate_open(*gate_);
    EXPECT_EQ(peer_.tell("release"), Result::Ok);
    peer_.quit();
}

// The later records pass through a queue: each of them is pending for a while.
TEST_P(HostIpcWaits, OutlastLaterRecordsThatWerePending) {
    open_in_peer();
    record_held(*stream_);
    ASSERT_EQ(peer_.tell("wait"), Result::Ok);
    Stream &busy = new_stream();
    Record *other = engine_->gate_create(device());
    ASSERT_EQ(engine_->stream_wait_gate(busy, *other), Result::Ok);
    for (int i = 0; i < GetParam(); ++i) ASSERT_EQ(engine_->event_record(*event_, busy, false), Result::Ok);
    EXPECT_EQ(peer_.tell("query"), Result::NotReady);
    engine_->gate_open(*other);
    ASSERT_EQ(engine_->stream_synchronize(busy), Result::Ok);
    EXPECT_EQ(peer_.tell("query"), Result::Ok);
    EXPECT_EQ(peer_.tell("stream"), Result::NotReady);
    engine_->gate_open(*gate_);
    EXPECT_EQ(peer_.tell("release"), Result::Ok);
    other->release();
    peer_.quit();
}

TEST_P(HostIpcWaits, OutlastLaterRecordsOfTheWaiter) {
    open_in_peer();
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(*stream_, *event_, false), Result::Ok);
    Stream &idle = new_stream();
    for (int i = 0; i < GetParam(); ++i) ASSERT_EQ(engine_->event_record(*event_, idle, false), Result::Ok);
    EXPECT_EQ(engine_->stream_query(*stream_), Result::NotReady);
    ASSERT_EQ(peer_.tell("release"), Result::Ok);
    EXPECT_EQ(engine_->stream_synchronize(*stream_), Result::Ok);
    peer_.quit();
}

INSTANTIATE_TEST_SUITE_P(, HostIpcWaits, ::testing::Values(1, 300, 100'000));

TEST_F(HostIpc, RecordsOfManyStreamsEndEachOnItsOwn) {
    open_in_peer();
    std::vector<Stream *> streams;
    std::vector<Record *> gates;
    for (int i = 0; i < 100; ++i) {
        streams.push_back(&new_stream());
        gates.push_back(engine_->gate_create(device()));
        ASSERT_EQ(engine_->stream_wait_gate(*streams.back(), *gates.back()), Result::Ok);
        ASSERT_EQ(engine_->event_record(*event_, *streams.back(), false), Result::Ok);
    }
    ASSERT_EQ(peer_.tell("wait"), Result::Ok); // for the last one
    for (size_t i = 0; i + 1 < streams.size(); ++i) {
        engine_->gate_open(*gates[i]);
        ASSERT_EQ(engine_->stream_synchronize(*streams[i]), Result::Ok);
    }
    EXPECT_EQ(peer_.tell("stream"), Result::NotReady);
    engine_->gate_open(*gates.back());
    EXPECT_EQ(peer_.tell("release"), Result::Ok);
    for (Record *gate : gates) gate->release();
    peer_.quit();
}

TEST_F(HostIpc, ALostRecordStaysLostUntilTheNextOne) {
    open_in_peer();
    IpcPeer *const third = &other_peer_;
    ASSERT_EQ(third->tell("open " + to_hex(exported())), Result::Ok);
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    EXPECT_EQ(third->tell("query"), Result::NotReady);
    peer_.crash();
    EXPECT_EQ(engine_->event_synchronize(*event_), Result::PeerLost);
    EXPECT_EQ(third->tell("query"), Result::PeerLost) << "one process has told all others";
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(engine_->event_query(*event_), Result::PeerLost) << i;
    ASSERT_EQ(engine_->stream_wait(*stream_, *event_, false), Result::Ok);
    EXPECT_EQ(engine_->stream_synchronize(*stream_), Result::PeerLost);
    Stream &fresh = new_stream();
    ASSERT_EQ(engine_->event_record(*event_, fresh, false), Result::Ok);
    EXPECT_EQ(engine_->event_query(*event_), Result::Ok);
    EXPECT_EQ(third->tell("query"), Result::Ok);
    third->quit();
}

// A process that waited for the lost one drops its work, and a third one hears of it.
TEST_F(HostIpc, ALossIsPassedOn) {
    const IpcHandle theirs = from_hex(peer_.ask("export"));
    Event *opened = nullptr;
    ASSERT_EQ(open_here(theirs, &opened), Result::Ok);
    ASSERT_EQ(other_peer_.tell("open " + to_hex(exported())), Result::Ok);
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(*stream_, *opened, false), Result::Ok);
    ASSERT_EQ(engine_->event_record(*event_, *stream_, false), Result::Ok);
    ASSERT_EQ(other_peer_.tell("wait"), Result::Ok);
    EXPECT_EQ(other_peer_.tell("query"), Result::NotReady);
    peer_.crash();
    EXPECT_EQ(other_peer_.tell("synchronize"), Result::PeerLost);
    EXPECT_EQ(other_peer_.tell("release"), Result::PeerLost) << "its stream";
    Stream &fresh = new_stream(); // the lane that was given up stays so, and the event lives on
    record_held(fresh);
    EXPECT_EQ(other_peer_.tell("query"), Result::NotReady);
    engine_->gate_open(*gate_);
    EXPECT_EQ(other_peer_.tell("synchronize"), Result::Ok);
}

// A record that was lost before its event is exported is lost for who opens it as well.
TEST_F(HostIpc, ALossBeforeTheExportIsSeen) {
    open_in_peer();
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(*stream_, *event_, false), Result::Ok);
    Event *behind = nullptr;
    ASSERT_EQ(engine_->event_create(device(), {false, false, true}, &behind), Result::Ok);
    ASSERT_EQ(engine_->event_record(*behind, *stream_, false), Result::Ok);
    peer_.crash();
    ASSERT_EQ(engine_->event_synchronize(*behind), Result::PeerLost);
    IpcHandle handle;
    ASSERT_EQ(engine_->ipc_export(*behind, &handle), Result::Ok);
    EXPECT_EQ(engine_->event_query(*behind), Result::PeerLost);
    ASSERT_EQ(other_peer_.tell("open " + to_hex(handle)), Result::Ok);
    EXPECT_EQ(other_peer_.tell("query"), Result::PeerLost);
    ASSERT_EQ(other_peer_.tell("wait"), Result::Ok);
    EXPECT_EQ(other_peer_.tell("release"), Result::PeerLost) << "its stream";
    Stream &fresh = new_stream();
    ASSERT_EQ(engine_->event_record(*behind, fresh, false), Result::Ok);
    EXPECT_EQ(other_peer_.tell("query"), Result::Ok);
    other_peer_.quit();
}

// A launch behind a lost wait runs nothing. A later one into another stream runs as usual.
TEST_F(HostIpc, ALossEndsOneLaunchOfAGraphOnly) {
    open_in_peer();
    ASSERT_EQ(peer_.tell("hold"), Result::Ok);
    ASSERT_EQ(peer_.tell("record"), Result::Ok);
    Stream &origin = new_stream(), &side = new_stream();
    Event *fork = nullptr, *join = nullptr;
    ASSERT_EQ(engine_->event_create(device(), {}, &fork), Result::Ok);
    ASSERT_EQ(engine_->event_create(device(), {}, &join), Result::Ok);
    std::atomic<int> ran{0};
    const Task task{[](void *count) { ++*static_cast<std::atomic<int> *>(count); }, nullptr, &ran};
    ASSERT_EQ(engine_->capture_begin(origin, {}), Result::Ok);
    ASSERT_EQ(engine_->event_record(*fork, origin, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(side, *fork, false), Result::Ok);
    ASSERT_EQ(engine_->launch(origin, task), Result::Ok);
    ASSERT_EQ(engine_->launch(side, task), Result::Ok);
    ASSERT_EQ(engine_->event_record(*join, side, false), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(origin, *join, false), Result::Ok);
    Graph *graph = nullptr;
    GraphExec *exec = nullptr;
    ASSERT_EQ(engine_->capture_end(origin, 0, &graph), Result::Ok);
    ASSERT_EQ(engine_->exec_create(*graph, 0, &exec), Result::Ok);
    ASSERT_EQ(engine_->stream_wait(*stream_, *event_, false), Result::Ok);
    ASSERT_EQ(engine_->exec_launch(*exec, *stream_), Result::Ok);
    peer_.crash();
    EXPECT_EQ(engine_->stream_synchronize(*stream_), Result::PeerLost);
    for (int launches = 1; launches <= 3; ++launches) {
        Stream &fresh = new_stream();
        ASSERT_EQ(engine_->exec_launch(*exec, fresh), Result::Ok);
        ASSERT_EQ(engine_->stream_synchronize(fresh), Result::Ok) << launches;
        EXPECT_EQ(ran, 2 * launches);
    }
    engine_->exec_destroy(*exec);
    EXPECT_EQ(engine_->graph_destroy(*graph), Result::Ok);
}

// Waits for two processes take turns in looking whether they live: neither keeps the other from it.
TEST_F(HostIpc, TwoWaitsOfOneEventBothEnd) {
    open_in_peer();
    ASSERT_EQ(other_peer_.tell("open " + to_hex(exported())), Result::Ok);
    Stream *streams[] = {stream_, &new_stream()};
    IpcPeer *peers[] = {&peer_, &other_peer_};
    for (int i : {0, 1}) {
        ASSERT_EQ(peers[i]->tell("hold"), Result::Ok);
        ASSERT_EQ(peers[i]->tell("record"), Result::Ok);
        ASSERT_EQ(engine_->stream_wait(*streams[i], *event_, false), Result::Ok);
    }
    other_peer_.crash();
    EXPECT_EQ(engine_->stream_synchronize(*streams[1]), Result::PeerLost);
    EXPECT_EQ(engine_->stream_query(*streams[0]), Result::NotReady);
    peer_.crash();
    EXPECT_EQ(engine_->stream_synchronize(*streams[0]), Result::PeerLost);
}

} // namespace
} // namespace gs::host
