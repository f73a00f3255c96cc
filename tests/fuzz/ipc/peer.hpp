// SPDX-License-Identifier: Apache-2.0
// Another process that exported events, as far as this one can see: it is alive, and the harness writes its shared memory.
#pragma once

#include <cstdint>
#include <string>

#include "backend/host/ipc/ipc_layout.hpp"
#include "fuzz/bytes.hpp"

namespace gs::fuzz {

// Before the library starts anything: the process ends with this one. Also names the folder for shared memory.
void start_peer();

class Peer {
public:
    static constexpr uint32_t kEvents = 3; // cells 0 to 2, the last one of device 1
    static constexpr uint64_t kSerial = 5;

    Peer();
    ~Peer(); // the file is removed
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;

    host::IpcHandle handle(uint32_t event) const;
    // Writes one word of a lane or a cell; which, and what, the input says.
    void poke(Bytes &input);
    // All lanes are lost: all waits end.
    void lose_all();

private:
    std::string path_;
    uint64_t nonce_;
    host::IpcShared *shared_ = nullptr;
};

} // namespace gs::fuzz
