// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime, through function pointers. GPUSTREAM_BENCH_CUDART names its file if the loader does not find it.
#include <cstdlib>

#include "library.hpp"
#include "native_calls.hpp"

namespace bench {
namespace {

struct Runtime {
    static constexpr int kNotReady = 600;
    static constexpr unsigned kNonBlocking = 1;
    static constexpr unsigned kDisableTiming = 2;
    static constexpr unsigned event_flags(bool timed) { return timed ? 0 : kDisableTiming; }

    static inline int (*set_device)(int);
    static inline int (*create_with_flags)(void **, unsigned);
    static inline int (*stream_destroy)(void *);
    static inline int (*stream_synchronize)(void *);
    static inline int (*stream_query)(void *);
    static inline int (*stream_wait)(void *, void *, unsigned);
    static inline int (*launch_host)(void *, void (*)(void *), void *);
    static inline int (*event_create)(void **, unsigned);
    static inline int (*event_destroy)(void *);
    static inline int (*event_record)(void *, void *);
    static inline int (*event_query)(void *);
    static inline int (*elapsed)(float *, void *, void *);
    static inline int (*malloc_async)(void **, std::size_t, void *);
    static inline int (*free_async)(void *, void *);

    static int attach() { return set_device(0); }
    static int stream_create(void **out) { return create_with_flags(out, kNonBlocking); }
};

} // namespace

const char *add_runtime() {
    static Library library(
        {std::getenv("GPUSTREAM_BENCH_CUDART"), "libcudart.so.13", "libcudart.so.12", "libcudart.so"});
    if (!library) return "there is no libcudart.so.13 or .12 (GPUSTREAM_BENCH_CUDART may name one)";
    library.find(Runtime::set_device, "cudaSetDevice");
    library.find(Runtime::create_with_flags, "cudaStreamCreateWithFlags");
    library.find(Runtime::stream_destroy, "cudaStreamDestroy");
    library.find(Runtime::stream_synchronize, "cudaStreamSynchronize");
    library.find(Runtime::stream_query, "cudaStreamQuery");
    library.find(Runtime::stream_wait, "cudaStreamWaitEvent");
    library.find(Runtime::launch_host, "cudaLaunchHostFunc");
    library.find(Runtime::event_create, "cudaEventCreateWithFlags");
    library.find(Runtime::event_destroy, "cudaEventDestroy");
    library.find(Runtime::event_record, "cudaEventRecord");
    library.find(Runtime::event_query, "cudaEventQuery");
    library.find(Runtime::elapsed, "cudaEventElapsedTime");
    library.find(Runtime::malloc_async, "cudaMallocAsync");
    library.find(Runtime::free_async, "cudaFreeAsync");
    if (!library.missing().empty()) return library.missing().c_str();
    if (Runtime::set_device(0) != 0) return "cudaSetDevice(0) failed: no driver that suits this runtime";
    NativeCalls<Runtime>::add_all("runtime");
    return nullptr;
}

} // namespace bench
