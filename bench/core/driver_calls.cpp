// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API itself, through function pointers: the baseline that gpustream adds to.
#include <cstdlib>

#include "library.hpp"
#include "native_calls.hpp"

namespace bench {
namespace {

struct Driver {
    static constexpr int kNotReady = 600;
    static constexpr unsigned kNonBlocking = 1;
    static constexpr unsigned kDisableTiming = 2;
    static constexpr unsigned event_flags(bool timed) { return timed ? 0 : kDisableTiming; }

    static inline int (*init)(unsigned);
    static inline int (*retain_context)(void **, int);
    static inline int (*set_context)(void *);
    static inline int (*create_with_priority)(void **, unsigned, int);
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
    static inline void *context;

    static int attach() { return set_context(context); }
    static int stream_create(void **out) { return create_with_priority(out, kNonBlocking, 0); }
};

} // namespace

const char *add_driver() {
    static Library library({std::getenv("GPUSTREAM_LIBCUDA"), "libcuda.so.1"});
    if (!library) return "there is no libcuda.so.1";
    library.find(Driver::init, "cuInit");
    library.find(Driver::retain_context, "cuDevicePrimaryCtxRetain");
    library.find(Driver::set_context, "cuCtxSetCurrent");
    library.find(Driver::create_with_priority, "cuStreamCreateWithPriority");
    library.find(Driver::stream_destroy, "cuStreamDestroy_v2");
    library.find(Driver::stream_synchronize, "cuStreamSynchronize");
    library.find(Driver::stream_query, "cuStreamQuery");
    library.find(Driver::stream_wait, "cuStreamWaitEvent");
    library.find(Driver::launch_host, "cuLaunchHostFunc");
    library.find(Driver::event_create, "cuEventCreate");
    library.find(Driver::event_destroy, "cuEventDestroy_v2");
    library.find(Driver::event_record, "cuEventRecord");
    library.find(Driver::event_query, "cuEventQuery");
    // The form of CUDA 12.8 does not look at other work of the device; it is what both gpustream and the runtime call.
    library.find(Driver::elapsed, {"cuEventElapsedTime_v2", "cuEventElapsedTime"});
    library.find(Driver::malloc_async, "cuMemAllocAsync");
    library.find(Driver::free_async, "cuMemFreeAsync");
    if (!library.missing().empty()) return library.missing().c_str();
    if (Driver::init(0) != 0) return "cuInit failed";
    if (Driver::retain_context(&Driver::context, 0) != 0) return "cuDevicePrimaryCtxRetain failed";
    NativeCalls<Driver>::add_all("driver");
    return nullptr;
}

} // namespace bench
