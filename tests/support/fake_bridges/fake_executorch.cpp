// SPDX-License-Identifier: Apache-2.0
// What ExecuTorch's CUDA extension exports, by its documentation: a stream per thread that the innermost guard has chosen. OLD: there
// are no guards.
#include <optional>

#define SHARED __attribute__((visibility("default")))
struct CUstream_st;

namespace executorch::extension::cuda {

namespace {
thread_local std::optional<CUstream_st *> chosen;
}

SHARED std::optional<CUstream_st *> getCallerStream();
std::optional<CUstream_st *> getCallerStream() { return chosen; }

#if !OLD
class SHARED CallerStreamGuard {
public:
    explicit CallerStreamGuard(CUstream_st *stream) : before_(chosen) { chosen = stream; }
    ~CallerStreamGuard();

private:
    std::optional<CUstream_st *> before_;
};
CallerStreamGuard::~CallerStreamGuard() { chosen = before_; }
#endif

} // namespace executorch::extension::cuda

// For tests in other files: chooses a stream as a guard does, which lasts until the next call; nullptr ends it.
extern "C" SHARED void fake_executorch_choose(CUstream_st *stream);
void fake_executorch_choose(CUstream_st *stream) {
    using namespace executorch::extension::cuda;
    chosen = stream ? std::optional(stream) : std::nullopt;
}
