// SPDX-License-Identifier: Apache-2.0
// The CUDA driver's functions as a program calls them that links libcuda itself: one indirect call each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace paired {

struct Driver {
    int (*init)(unsigned);
    int (*retain_context)(void **, int);
    int (*set_context)(void *);
    int (*context_synchronize)();
    int (*stream_create)(void **, unsigned, int);
    int (*stream_destroy)(void *);
    int (*stream_query)(void *);
    int (*stream_synchronize)(void *);
    int (*stream_wait)(void *, void *, unsigned);
    int (*launch_host)(void *, void (*)(void *), void *);
    int (*event_create)(void **, unsigned);
    int (*event_destroy)(void *);
    int (*event_record)(void *, void *);
    int (*event_query)(void *);
    int (*event_synchronize)(void *);
    int (*elapsed)(float *, void *, void *);
    int (*malloc_async)(uint64_t *, size_t, void *);
    int (*free_async)(uint64_t, void *);
    int (*memcpy_async)(uint64_t, uint64_t, size_t, void *);
    int (*memset_async)(uint64_t, unsigned char, size_t, void *);
    int (*module_load)(void **, const void *);
    int (*module_function)(void **, void *, const char *);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                  void **);
    // Stream memory operations; may be missing.
    int (*write_value)(void *, uint64_t, uint64_t, unsigned);
    int (*wait_value)(void *, uint64_t, uint64_t, unsigned);
    // Graphs; all or none.
    int (*begin_capture)(void *, int);
    int (*end_capture)(void *, void **);
    int (*instantiate)(void **, void *, unsigned long long);
    int (*graph_launch)(void *, void *);
    int (*exec_update)(void *, void *, void *);
    int (*exec_destroy)(void *);
    int (*graph_destroy)(void *);
    // Keeps freed memory in the pool, so that an allocation costs the same after a synchronisation; may be missing.
    int (*default_pool)(void **, int);
    int (*pool_set_attribute)(void *, int, void *);

    void *context; // device 0's primary context
};

extern Driver g_driver;

// Opens libcuda.so.1 or GPUSTREAM_LIBCUDA and retains device 0's context. Returns nullptr, or what is wrong.
const char *open_driver();

} // namespace paired
