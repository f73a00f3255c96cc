// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/engine.hpp"
#include "backend/host/engine/submission.hpp"

namespace gs::host {

Result Engine::write_value(Stream &stream, const WordWrite &write) noexcept {
    bool written = false;
    const auto live = [&](Submission &submission) {
        if (submission.idle()) {
            write_word(write);
            written = true;
            return Result::Ok;
        }
        Op op(Op::Kind::WordWrite);
        op.word_write = write;
        return submission.push(op);
    };
    const Result result = submit(stream, live, [] { return Result::StreamCapturing; });
    if (written) words_.written(write.address); // no lock is held any more
    return result;
}

Result Engine::wait_value(Stream &stream, const WordWait &wait) noexcept {
    if (!words_.ensure_started().ok()) return Result::System;
    const auto live = [&](Submission &submission) {
        if (submission.idle() && is_met(wait)) return Result::Ok;
        Op op(Op::Kind::WordWait);
        op.word_wait = wait;
        return submission.push(op);
    };
    return submit(stream, live, [] { return Result::StreamCapturing; });
}

} // namespace gs::host
