// SPDX-License-Identifier: Apache-2.0
// Another library with a current stream of its own, which operations of a program use beside gpustream's: led, followed,
// both or neither.
//
// The mode holds for the process, so an operation that goes by the current stream sets the mode that it needs and keeps it
// until it ends; other operations go by handles and run at the same time.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "gpustream.h"
#include "oracle/program.hpp"

namespace gs::oracle {

class Neighbour {
public:
    // Registers the library at the first use.
    static Neighbour &instance();

    // The calling thread is inside with_current(): another operation runs in the middle of one of its calls, where what is
    // current is not settled. Such an operation goes by its handle.
    static bool inside();

    // Makes a stream current as the operation says, calls enqueue(), and checks on the way that both libraries have the
    // same stream. *out_wrong: what was not as it should be; stays empty else.
    template <typename Enqueue>
    gs_status_t with_current(const Op &op, int device, gs_stream_t stream, Enqueue &&enqueue, std::string *out_wrong) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const Inside mark;
        Visit visit{op, device, stream, 0, 0, nullptr};
        gs_status_t status = begin(visit, out_wrong);
        if (status != GS_OK) return status;
        status = enqueue();
        const gs_status_t ended = end(visit, out_wrong);
        return status != GS_OK ? status : ended;
    }

private:
    struct Inside {
        Inside();
        ~Inside();
        Inside(const Inside &) = delete;
        Inside &operator=(const Inside &) = delete;
    };
    struct Visit {
        const Op &op;
        int device;
        gs_stream_t stream;
        uintptr_t before;   // the neighbour's stream
        uint64_t scope;     // of a push
        gs_stream_t former; // of a set
    };
    gs_status_t begin(Visit &visit, std::string *out_wrong);
    gs_status_t end(const Visit &visit, std::string *out_wrong);
    gs_status_t change_mode(uint8_t mode);

    std::mutex mutex_;
    int32_t bridge_ = 0;
    uint8_t mode_ = 0;
};

} // namespace gs::oracle
