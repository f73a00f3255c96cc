// SPDX-License-Identifier: Apache-2.0
#include "oracle/shared_run.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace gs::oracle {

Program generate_shared(uint64_t seed) {
    Program program = generate(seed, false);
    program.two_devices = false;
    program.streams = std::max(program.streams, kProcesses);
    for (Op &op : program.ops) {
        // Wider use of the streams than the generator made of its own number.
        op.stream = static_cast<uint8_t>((op.stream + op.thread) % program.streams);
        // A stream waits for another one of its process only; to those of others it has events.
        if (op.kind == Kind::WaitStream && process_of(op.other) != process_of(op.stream)) op.other = op.stream;
        op.thread = static_cast<uint8_t>(process_of(op.stream));
    }
    return program;
}

bool SharedRun::meet() {
    const uint32_t round = rounds.load();
    if (arrived.fetch_add(1) + 1 == kProcesses) {
        arrived.store(0);
        rounds.fetch_add(1);
    }
    while (rounds.load() == round && stop.load() == 0) sched_yield();
    return stop.load() == 0;
}

void SharedRun::fail(const std::string &what) {
    if (stop.exchange(1) == 0) std::snprintf(failure, sizeof failure, "%s", what.c_str());
}

bool SharedRun::await_turn(uint32_t number) {
    while (turn.load() != number && stop.load() == 0) sched_yield();
    return stop.load() == 0;
}

SharedRun *map_run(const std::string &path) {
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    void *memory =
        file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(SharedRun), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) close(file);
    return memory == MAP_FAILED ? nullptr : static_cast<SharedRun *>(memory);
}

} // namespace gs::oracle
