// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {

Record *Engine::gate_create(Device &device) noexcept { return device.records.take(); }

Result Engine::stream_wait_gate(Stream &stream, Record &gate) noexcept {
    Submission submission(*this, stream);
    if (submission.status() != Result::Ok) return submission.status();
    if (submission.captured()) return Result::StreamCapturing;
    if (submission.idle() && gate.done()) return Result::Ok;
    Op wait(Op::Kind::Wait);
    wait.record = &gate;
    gate.retain();
    const Result result = submission.push(wait);
    if (result != Result::Ok) gate.release();
    return result;
}

void Engine::gate_open(Record &gate) noexcept { pool_.ready_all(gate.complete(Result::Ok, monotonic_ns())); }

} // namespace gs::host
