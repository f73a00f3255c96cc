// SPDX-License-Identifier: Apache-2.0
#include "fuzz/ipc/peer.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

#include "backend/host/ipc/ipc_layout.hpp"
#include "base/shared_file.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

std::string g_folder;
ProcessIdentity g_peer;
uint64_t g_next_nonce = 1;

void remove_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(g_folder, ignored);
}

// Never written by the library: the words of the process that a lane's owner is.
template <typename Word>
void store(std::atomic<Word> &word, uint64_t value) {
    word.store(static_cast<Word>(value));
}

uint64_t draw_value(Bytes &input) {
    const uint8_t chosen = input.byte();
    if (chosen < 0x20) return chosen;
    switch (chosen % 12) {
    case 0: return ~uint64_t{0};
    case 1: return ~uint64_t{0} >> host::kLaneBits;
    case 2: return host::kDoneRecord;
    case 3: return host::kLostRecord;
    case 4: return host::record_word(input.byte() % 4u, input.byte());
    case 5: return host::record_word(host::kLanes + input.byte() % 64u, input.byte()); // there is no such lane
    case 6: return host::record_word(input.byte() % 4u, ~uint64_t{0} >> host::kLaneBits);
    case 7: return g_peer.life;
    case 8: return g_peer.pid_namespace;
    case 9: return g_peer.pid;
    case 10: return Peer::kSerial << host::kSerialShift | input.byte();
    default: return input.word();
    }
}

} // namespace

void start_peer() {
    g_folder = "/dev/shm/gpustream-fuzz-XXXXXX";
    int ends[2];
    FUZZ_REQUIRE(mkdtemp(g_folder.data()) && pipe(ends) == 0, g_folder);
    setenv("GPUSTREAM_SHM_DIR", g_folder.c_str(), 1);
    const pid_t parent = getpid(), child = fork();
    FUZZ_REQUIRE(child >= 0, "fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent || !make_identity(&g_peer).ok()) _exit(1);
        if (write(ends[1], &g_peer, sizeof g_peer) != sizeof g_peer) _exit(1);
        for (;;) pause();
    }
    std::atexit(remove_folder);
    FUZZ_REQUIRE(read(ends[0], &g_peer, sizeof g_peer) == sizeof g_peer, "the other process");
}

Peer::Peer() : nonce_(g_next_nonce++) {
    const host::Result made = host::create_arena_file(g_folder.c_str(), g_peer, nonce_, &shared_);
    FUZZ_REQUIRE(made == host::Result::Ok, g_folder);
    char name[kSharedNameSize];
    shared_file_name(g_peer, nonce_, name);
    path_ = g_folder + "/" + name;
    for (uint32_t event = 0; event < kEvents; ++event) {
        shared_->cells[event].device.store(event == kEvents - 1 ? 1 : 0);
        shared_->cells[event].state.store(kSerial << host::kSerialShift);
    }
}

Peer::~Peer() {
    unlink(path_.c_str());
    host::unmap_arena(shared_);
}

host::IpcHandle Peer::handle(uint32_t event) const {
    host::IpcHandle handle;
    handle.device = event == kEvents - 1 ? 1 : 0;
    handle.exporter = g_peer;
    handle.nonce = nonce_;
    handle.serial = kSerial;
    handle.cell = event;
    handle.check = handle.compute_check();
    return handle;
}

void Peer::poke(Bytes &input) {
    const uint8_t chosen = input.byte();
    const uint8_t field = input.byte() % 12;
    const uint64_t value = draw_value(input);
    host::IpcLane &lane = shared_->lanes[chosen % 8 < 7 ? chosen % 8 : host::kLanes - 1];
    host::IpcCell &cell = shared_->cells[chosen % kEvents];
    switch (field) {
    case 0: return store(lane.owner, value);
    case 1: return store(lane.issued, value);
    case 2: return store(lane.completed, value);
    case 3: return store(lane.lost_after, value);
    case 4: return store(lane.lost_until, value);
    case 5: return store(lane.life, value);
    case 6: return store(lane.pid_namespace, value);
    case 7: return store(lane.pid, value);
    case 8: return store(lane.futex, value);
    case 9: return store(cell.state, value);
    case 10: return store(cell.device, value);
    default: return store(cell.newest, value);
    }
}

void Peer::lose_all() {
    constexpr uint64_t kOwned = 2, kDead = 3;
    for (host::IpcLane &lane : shared_->lanes) {
        uint64_t owner = lane.owner.load();
        while (owner % 4 == kOwned && !lane.owner.compare_exchange_weak(owner, owner + (kDead - kOwned))) {}
    }
}

} // namespace gs::fuzz
