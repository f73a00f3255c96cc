// SPDX-License-Identifier: Apache-2.0
// What a call may do to the captures in progress: only those that begin, end or join one change anything, and a refused one
// changes nothing.
#pragma once

#include <map>
#include <string>

#include "fuzz/api/model.hpp"

namespace gs::fuzz {

class CaptureWatch {
public:
    // Asked on the thread that makes the call: the per-thread stream is another one on each.
    static CaptureWatch now(const Model &model);

    const gs_capture_info_t *of(uint64_t stream) const;
    bool capturing(uint64_t stream) const;

    enum class Effect { None, Begins, Ends, Aborts };
    // `stream` is the one that a call with an effect is about. Begins: it may take part in a capture from now on.
    void check(const CaptureWatch &after, Effect effect, uint64_t stream, gs_status_t status,
               const std::string &detail) const;

private:
    bool may_end(uint64_t stream, Effect effect, gs_status_t status) const;

    std::map<uint64_t, gs_capture_info_t> streams_;
    uint64_t thread_ = 0; // the operating system's number
};

} // namespace gs::fuzz
