// SPDX-License-Identifier: Apache-2.0
// Bytes and pages from other processes: the 64 bytes of an exported event, the three numbers of a packed stream, and the
// shared memory of an exporter. The memory is written while its events are open here. Whatever it holds, every call returns,
// and the end of all owners ends all waits.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "backend/host/host_backend.hpp"
#include "fuzz/harness.hpp"
#include "fuzz/ipc/peer.hpp"
#include "fuzz/texts.hpp"
#include "gpustream.h"
#include "support/seeded_bug.hpp"

namespace gs::fuzz {

const std::vector<testing::SeededBug> kPlantedBugs = {testing::SeededBug::TrustSharedLane};

namespace {

constexpr size_t kMostSteps = 60, kStreams = 2, kMostEvents = 8;

bool is_one_of(gs_status_t status, std::initializer_list<gs_status_t> list) {
    return std::find(list.begin(), list.end(), status) != list.end();
}

class Session {
public:
    explicit Session(Bytes input) : input_(input) {
        for (size_t i = 0; i < kStreams; ++i)
            FUZZ_REQUIRE(gs_stream_create(static_cast<gs_device_t>(i), 0, 0, &streams_[i]) == GS_OK, "a stream");
        FUZZ_REQUIRE(gs_event_create(GS_EVENT_INTERPROCESS, &own_) == GS_OK, "an event");
    }
    void run() {
        for (size_t i = 0; i < kMostSteps && !input_.empty(); ++i) step();
        finish();
    }

private:
    gs_stream_t stream() { return streams_[input_.byte() % kStreams]; }
    gs_event_t event() {
        const uint8_t chosen = input_.byte();
        return events_.empty() || chosen % 8 == 7 ? own_ : events_[chosen % events_.size()];
    }

    void step() {
        switch (input_.byte() % 10) {
        case 0: return open();
        case 1:
        case 2: return peer_.poke(input_);
        case 3: return record();
        case 4: return wait();
        case 5: return query();
        case 6: return synchronize();
        case 7: return destroy();
        case 8: return unpack();
        default: return do_export();
        }
    }

    // An event's bytes, as they are or with one byte changed, and then also with the right check sum.
    void open() {
        const uint8_t chosen = input_.byte(), where = input_.byte(), how = input_.byte();
        host::IpcHandle handle = peer_.handle(chosen % Peer::kEvents);
        gs_ipc_handle_t bytes;
        const bool changed = chosen >= 0x80 && how != 0;
        std::memcpy(&bytes, &handle, sizeof bytes);
        if (changed) bytes.data[where % sizeof bytes] ^= how;
        std::memcpy(static_cast<void *>(&handle), &bytes, sizeof bytes);
        if (chosen >= 0xC0) handle.check = handle.compute_check();
        const bool valid = handle.valid();
        std::memcpy(&bytes, &handle, sizeof bytes);
        gs_event_t opened = nullptr;
        const auto device = static_cast<gs_device_t>(input_.byte() % 3);
        const gs_status_t status = gs_event_ipc_open(device, &bytes, &opened);
        note("open %s", gs_status_name(status));
        FUZZ_REQUIRE((status == GS_OK) == (opened != nullptr), gs_status_name(status));
        FUZZ_REQUIRE(valid || device == 2 || status == GS_ERROR_INVALID_ARGUMENT, gs_status_name(status));
        FUZZ_REQUIRE(is_one_of(status, {GS_OK, GS_ERROR_INVALID_ARGUMENT, GS_ERROR_INVALID_DEVICE, GS_ERROR_PEER_LOST,
                                        GS_ERROR_DEVICE_MISMATCH, GS_ERROR_NOT_SUPPORTED, GS_ERROR_SYSTEM}),
                     gs_status_name(status));
        if (status != GS_OK) return check_error_record("gs_event_ipc_open", status);
        events_.push_back(opened);
        if (events_.size() > kMostEvents) destroy();
    }

    void record() {
        gs_event_t chosen = event();
        const gs_status_t status = gs_event_record(chosen, stream());
        FUZZ_REQUIRE(is_one_of(status, {GS_OK, GS_ERROR_DEVICE_MISMATCH, GS_ERROR_OUT_OF_MEMORY, GS_ERROR_PEER_LOST}),
                     gs_status_name(status));
    }
    void wait() {
        gs_event_t chosen = event();
        const gs_status_t status = gs_event_wait(chosen, stream());
        FUZZ_REQUIRE(is_one_of(status, {GS_OK, GS_ERROR_PEER_LOST}), gs_status_name(status));
        if (status == GS_ERROR_PEER_LOST) check_error_record("gs_event_wait", status);
    }
    // *out_done where the work is done or lost: only then a synchronization ends.
    void query_of(gs_event_t chosen, bool *out_over) {
        int32_t done = -1;
        const gs_status_t status = gs_event_query(chosen, &done);
        FUZZ_REQUIRE(is_one_of(status, {GS_OK, GS_ERROR_PEER_LOST}), gs_status_name(status));
        FUZZ_REQUIRE(done == 0 || (done == 1 && status == GS_OK), std::to_string(done));
        *out_over = done == 1 || status != GS_OK;
    }
    static bool idle(gs_stream_t stream) {
        int32_t done = 0;
        return gs_stream_query(stream, &done) != GS_OK || done == 1;
    }
    void query() {
        bool over = false;
        query_of(event(), &over);
    }
    void synchronize() {
        gs_event_t chosen = event();
        bool over = false;
        query_of(chosen, &over);
        if (!over) return;
        // A stream that still runs may complete a record in between, with a smaller number than the one that was written.
        const bool settled = idle(streams_[0]) && idle(streams_[1]);
        const gs_status_t status = settled ? gs_event_synchronize(chosen) : gs_event_synchronize_for(chosen, 1000000);
        FUZZ_REQUIRE(is_one_of(status, {GS_OK, GS_ERROR_PEER_LOST}) || (!settled && status == GS_ERROR_TIMEOUT),
                     gs_status_name(status));
    }
    void destroy() {
        if (events_.empty()) return;
        const size_t at = input_.byte() % events_.size();
        FUZZ_REQUIRE(gs_event_destroy(events_[at]) == GS_OK, "gs_event_destroy");
        events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(at));
    }

    // Three numbers as they come, or a stream's with one of them changed.
    void unpack() {
        gs_stream_triple_t triple{}, packed{};
        const size_t which = input_.byte() % kStreams;
        FUZZ_REQUIRE(gs_stream_pack(streams_[which], &packed) == GS_OK, "gs_stream_pack");
        triple = packed;
        const uint8_t how = input_.byte();
        if (how % 4 == 1) triple.id ^= int64_t{1} << how / 4;
        if (how % 4 == 2) triple.device_index = how / 4 - 8;
        if (how % 4 == 3) triple = {static_cast<int64_t>(input_.word()), input_.byte() - 4, input_.byte() - 4};
        gs_stream_t found = nullptr;
        const gs_status_t status = gs_stream_unpack(&triple, &found);
        const bool same = std::memcmp(&triple, &packed, sizeof packed) == 0;
        // A changed number names another stream in one run and none in the next.
        note("unpack %s", same ? gs_status_name(status) : "of other numbers");
        FUZZ_REQUIRE(!same || (status == GS_OK && found == streams_[which]), gs_status_name(status));
        FUZZ_REQUIRE((status == GS_OK) == (found != nullptr), gs_status_name(status));
        FUZZ_REQUIRE(is_one_of(status, {GS_OK, GS_ERROR_INVALID_HANDLE, GS_ERROR_INVALID_DEVICE,
                                        GS_ERROR_DEVICE_MISMATCH, GS_ERROR_UNAVAILABLE}),
                     gs_status_name(status));
        if (status == GS_OK) FUZZ_REQUIRE(gs_stream_destroy(found) == GS_OK, "gs_stream_destroy");
    }

    void do_export() {
        gs_event_t chosen = event();
        gs_ipc_handle_t bytes;
        const gs_status_t status = gs_event_ipc_export(chosen, &bytes);
        FUZZ_REQUIRE(status == (chosen == own_ ? GS_OK : GS_ERROR_NOT_SUPPORTED), gs_status_name(status));
        if (status != GS_OK) return;
        gs_event_t opened = nullptr;
        FUZZ_REQUIRE(gs_event_ipc_open(0, &bytes, &opened) == GS_ERROR_NOT_SUPPORTED && !opened, "its own event");
    }

    void finish() {
        for (gs_event_t one : events_) FUZZ_REQUIRE(gs_event_destroy(one) == GS_OK, "gs_event_destroy");
        FUZZ_REQUIRE(gs_event_destroy(own_) == GS_OK, "gs_event_destroy");
        peer_.lose_all();
        for (gs_stream_t one : streams_) {
            // It ends: the owners of all records that it waits for are gone.
            const gs_status_t status = gs_stream_synchronize(one);
            FUZZ_REQUIRE(is_one_of(status, {GS_OK, GS_ERROR_PEER_LOST}), gs_status_name(status));
            FUZZ_REQUIRE(gs_stream_destroy(one) == GS_OK, "gs_stream_destroy");
        }
        FUZZ_REQUIRE(gs_trim() == GS_OK, "gs_trim");
        const uint32_t mapped = host::instance().engine()->ipc_mapped();
        FUZZ_REQUIRE(mapped == 0, std::to_string(mapped) + " arenas are still mapped");
    }

    Bytes input_;
    Peer peer_;
    gs_stream_t streams_[kStreams] = {};
    gs_event_t own_ = nullptr;
    std::vector<gs_event_t> events_;
};

} // namespace

void start() {
    start_peer();
    setenv("GPUSTREAM_BACKEND", "host", 1);
    FUZZ_REQUIRE(gs_init() == GS_OK, "gs_init");
}

void one(Bytes input) { Session(input).run(); }

} // namespace gs::fuzz
