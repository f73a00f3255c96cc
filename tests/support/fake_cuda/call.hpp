// SPDX-License-Identifier: Apache-2.0
// What happens around every entry point: counting, the states in which nothing works, injected faults, and outputs that
// contain garbage after a failure.
#pragma once

#include <cstring>

#include "fake_cuda/world.hpp"

namespace fake {

struct Output {
    void *address;
    size_t bytes;
};

class Call {
public:
    explicit Call(Fn fn) noexcept;
    // Not 0: the call ends with this, its body is not run.
    CUresult refused() const { return refused_; }
    // What the call returns, given what its body did.
    CUresult leave(CUresult result);

private:
    CUresult state() const;

    Fn fn_;
    CUresult refused_ = CUDA_SUCCESS;
    CUresult after_ = CUDA_SUCCESS; // replaces the result of a call that had its effect
    CUresult late_ = CUDA_SUCCESS;  // for a later call
    int late_device_ = -1;          // broken once this call has succeeded
};

template <typename... Outputs>
void poison(Outputs *...outputs) {
    (void)std::initializer_list<int>{(outputs ? (std::memset(outputs, 0xA5, sizeof *outputs), 0) : 0)...};
}

// body: CUresult(Lock &), called with the lock held. outputs: pointers to what it would write.
template <typename Body, typename... Outputs>
CUresult call(Fn fn, Body &&body, Outputs *...outputs) {
    Call scope(fn);
    CUresult result = scope.refused();
    if (result == CUDA_SUCCESS) {
        Lock lock(world().mutex);
        result = scope.leave(body(lock));
    }
    // A stub changes nothing; a driver that failed guarantees nothing.
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY && result != CUDA_ERROR_STUB_LIBRARY)
        poison(outputs...);
    return result;
}

// Submits to a stream of the program's, with the lock held.
template <typename Submit>
CUresult work(CUstream handle, Submit &&submit) {
    Stream *stream = nullptr;
    const CUresult result = find_stream(handle, &stream);
    if (result != CUDA_SUCCESS) return result;
    return to_result(submit(*stream->native), *stream->context);
}

// ---- for controls.cpp ----------------------------------------------------------------------------------------------
void set_fault(const fake_cuda_fault_t *fault); // nullptr: none
uint64_t injected(std::string *first);
uint64_t calls_of(const char *symbol);
void reset_calls();
// The symbols that the calling thread called since start_trace(), one per line.
void start_trace();
std::string trace();
void break_context(Context &context, int code, const char *origin);
Fn find_symbol(const char *symbol); // Fn::Count: none

} // namespace fake
