/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/memory.h
 * Memory: allocations in the order of a stream, pinned host memory, pools with limits and statistics.
 *
 * A program needs it for buffers that are allocated and freed beside running work. Memory of cudaMalloc() or of a
 * framework may be used in every other chapter as it is.
 *
 * \tier preview
 */
#ifndef GPUSTREAM_MEMORY_H
#define GPUSTREAM_MEMORY_H

#include "stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A pool of memory. The value is a number, never an address. */
typedef struct gs_pool *gs_pool_t;

/** Flags of gs_pool_options_t. */
enum {
    /** Page-locked memory of the host instead of the device's, which host code can use as well. */
    GS_POOL_HOST = 1,
    /** The other devices of the backend that can access the device may use the memory, too. */
    GS_POOL_PEERS = 2,
    /** Memory is filled with the byte 0xDD, in stream order, when it is freed: a late access is seen. */
    GS_POOL_POISON = 4
};

/** How a pool is made. All fields but struct_size may be 0. */
typedef struct gs_pool_options {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_POOL_*. */
    uint32_t flags;
    /** What the pool may take from the driver at most, bytes; 0: no limit. */
    uint64_t limit_bytes;
    /** What the driver keeps of freed memory when a stream, event or device is synchronized, bytes; 0: all of it. */
    uint64_t keep_bytes;
} gs_pool_options_t;

/**
 * What a pool has and has had. Memory that a capture allocates belongs to its graph and is not counted.
 *
 * Sizes are those that the pool rounds a request up to, a multiple of 512 bytes.
 */
typedef struct gs_pool_stats {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_POOL_*, as the pool was made. */
    uint32_t flags;
    /** Allocated and not freed, bytes. */
    uint64_t allocated_bytes;
    /** The largest allocated_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t allocated_peak_bytes;
    /** Allocated and not freed, as the callers asked for it, bytes. */
    uint64_t requested_bytes;
    /** Freed and kept by the library for the next allocation in the same stream, bytes. */
    uint64_t cached_bytes;
    /** What the driver has reserved for the pool, bytes; if it cannot be asked, what is allocated and cached. */
    uint64_t reserved_bytes;
    /** The largest reserved_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t reserved_peak_bytes;
    /** What the pool may take from the driver at most, bytes; 0: no limit. */
    uint64_t limit_bytes;
    /** Allocations that are not freed. */
    uint64_t blocks;
    /** Allocations so far. */
    uint64_t allocations;
    /** Frees so far. */
    uint64_t frees;
    /** Allocations that needed no driver call. */
    uint64_t cache_hits;
    /** Allocations that failed for want of memory, or of room below the limit. */
    uint64_t out_of_memory;
    /** The largest requested_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t requested_peak_bytes;
    /** The largest cached_bytes since the pool began or gs_pool_reset_peak(). */
    uint64_t cached_peak_bytes;
    /** The largest number of blocks since the pool began or gs_pool_reset_peak(). */
    uint64_t blocks_peak;
    /** Blocks of the driver: allocated, or kept by the library for the next allocation. */
    uint64_t segments;
    /** The largest number of segments since the pool began or gs_pool_reset_peak(). */
    uint64_t segments_peak;
    /** Blocks that the driver has allocated so far; without the present segments, those that it has freed. */
    uint64_t segment_allocations;
    /** The sizes of all allocations so far, bytes. */
    uint64_t allocated_total_bytes;
    /** The sizes of all allocations so far, as the callers asked for them, bytes. */
    uint64_t requested_total_bytes;
    /** Allocations that had to give back first what the library keeps for streams. */
    uint64_t retries;
} gs_pool_stats_t;

/* ---- memory ---------------------------------------------------------------------------------- */

/**
 * Allocates device memory in stream order, from the calling thread's current pool of the stream's device.
 *
 * Work submitted to the stream later may use the memory; other streams must first wait for an event recorded after the
 * call. Memory that was freed in the same stream shortly before is given out again without a driver call: see
 * gs_pool_malloc().
 *
 * \param[in]  bytes        size; 0 allocates nothing: *out_pointer is NULL.
 * \param[in]  stream       the stream; GS_STREAM_CURRENT allowed.
 * \param[out] out_pointer  not NULL; device address of the memory, uninitialised, aligned to at least 256 bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pointer is NULL, bytes is above PTRDIFF_MAX),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (the device does not support
 *         stream-ordered allocation), GS_ERROR_OUT_OF_MEMORY (also: the pool's limit would be exceeded); the start
 *         statuses; the driver statuses; the call statuses.
 * \cost queue
 * \ownership the caller's, until gs_free_async() or gs_free_after().
 * \backends host: memory of the process, readable by host code as well.
 */
GS_API gs_status_t gs_malloc_async(size_t bytes, gs_stream_t stream, void **out_pointer);

/**
 * Frees device memory in stream order.
 *
 * Work submitted to the stream before the call may still use the memory. The stream must wait for the use of it by
 * other streams first; gs_free_after() is for memory that several streams use. If native_function of gs_last_error()
 * names the driver's call that frees (cuMemFreeAsync, cuMemFree), the memory may have been freed in spite of the
 * failure: it must not be used or freed again. After any other failure it is still allocated.
 *
 * A stream that is being captured frees what the capture has allocated: the free becomes a node of the graph. In a
 * stream that joined a capture of the library it is added at the end, behind everything, as the stream may have been
 * joined already.
 *
 * \param[in] pointer  from gs_malloc_async() or gs_pool_malloc() on the same device, or from the driver's own
 *                     stream-ordered allocation; NULL does nothing.
 * \param[in] stream   the stream; GS_STREAM_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (pointer is freed already, or not allocated as far as the backend can
 *         determine it), GS_ERROR_DEVICE_MISMATCH (the memory belongs to another device than the stream),
 *         GS_ERROR_INVALID_HANDLE (stream is not a live stream), GS_ERROR_NOT_SUPPORTED (the device does not support
 *         stream-ordered allocation), GS_ERROR_CAPTURING (also: the stream is being captured, and the memory is from
 *         before the capture; gs_free_after() takes it); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \ownership the caller's ownership ends.
 */
GS_API gs_status_t gs_free_async(void *pointer, gs_stream_t stream);

/**
 * Allocates host memory that devices can copy from and to asynchronously.
 *
 * On CUDA the memory is page-locked, which is a scarce resource, meant for long-lived buffers. It belongs to the
 * calling thread's current device, although all devices of the backend may use it. A reset of that device
 * (gs_device_reset(), or by other code) ends the memory, and its address must not be used after that.
 *
 * \param[in]  bytes        size; 0 allocates nothing: *out_pointer is NULL.
 * \param[out] out_pointer  not NULL; host address, uninitialised, aligned to at least 64 bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pointer is NULL, bytes is above PTRDIFF_MAX); the start
 *         statuses; the driver statuses; the call statuses.
 * \blocking while the driver maps the memory, which may wait for device work
 * \cost wait
 * \ownership the caller's, until gs_free_host().
 * \backends host: ordinary memory, which no reset ends.
 */
GS_API gs_status_t gs_malloc_host(size_t bytes, void **out_pointer);

/**
 * Frees memory allocated by gs_malloc_host().
 *
 * No work that uses the memory may be pending. In a forked child the call returns GS_OK and does nothing. Where the
 * memory has ended with the reset of its device, the call returns GS_OK without asking the driver. If the driver fails
 * to free the memory, it counts as freed: a second call returns GS_ERROR_INVALID_ARGUMENT.
 *
 * \param[in] pointer  from gs_malloc_host(); NULL does nothing.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (pointer is not from gs_malloc_host() or is already freed),
 *         GS_ERROR_NOT_PERMITTED (inside a host function); the driver statuses; the common statuses.
 * \blocking while the driver unmaps the memory, which may wait for device work
 * \cost wait
 * \threadsafety any thread, also in a notification.
 * \ownership the caller's ownership ends.
 */
GS_API gs_status_t gs_free_host(void *pointer);

/**
 * Creates a pool: memory of its own, with a limit and statistics.
 *
 * Memory is allocated and freed in stream order. What is freed stays with the pool. The pool gives it out again to
 * later work of the same stream, and to streams that have waited for an event recorded after the free. Once the work
 * before the free is done, all streams may get it. No stream is ever made to wait for memory of another one.
 *
 * \param[in]  device    the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  options   may be NULL: no flags, no limit, everything is kept.
 * \param[out] out_pool  not NULL; the pool.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pool is NULL, options has an invalid struct_size or an unknown
 *         flag), GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_NOT_SUPPORTED (the device or its driver has no
 *         pools, or none of page-locked memory for GS_POOL_HOST); the start statuses; the driver statuses; the call
 *         statuses.
 * \cost driver
 * \ownership the caller owns one reference: gs_pool_destroy().
 * \backends cuda: a cuMemPool_t. host: memory of the process.
 */
GS_API gs_status_t gs_pool_create(gs_device_t device, const gs_pool_options_t *options, gs_pool_t *out_pool);

/**
 * Returns the pool of a device that gs_malloc_async() uses unless the thread has another one current.
 *
 * gs_pool_set_limit() gives it a limit. It also works on devices that have no pools.
 *
 * \param[in]  device    the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_pool  not NULL; the pool.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pool is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the call statuses.
 * \cost start
 * \ownership borrowed, and lasts as long as the process: gs_pool_retain() and gs_pool_destroy() do nothing with it.
 * \backends cuda: the pool that cuMemAllocAsync uses, which other code may use as well: reserved_bytes has its memory,
 *           too. Unless other code has set its release threshold, the first allocation raises that to keep everything.
 */
GS_API gs_status_t gs_pool_default(gs_device_t device, gs_pool_t *out_pool);

/**
 * Adds a reference to a pool.
 *
 * Each reference needs a gs_pool_destroy().
 *
 * \param[in] pool  live pool.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the getter statuses.
 * \cost library
 * \threadsafety any thread, also in a host function.
 * \ownership the caller owns one more reference: gs_pool_destroy().
 */
GS_API gs_status_t gs_pool_retain(gs_pool_t pool);

/**
 * Releases a reference to a pool; the last one ends it.
 *
 * Memory that was allocated from it stays valid until it is freed; the driver's pool ends with the last of it. A thread
 * that has the pool current owns a reference of its own. In a forked child the call returns GS_OK and does nothing.
 *
 * \param[in] pool  live pool that the caller owns a reference of.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool, or no reference is left to release),
 *         GS_ERROR_NOT_PERMITTED (inside a host function); the common statuses.
 * \cost driver
 * \threadsafety any thread; a call on the pool that is in progress finishes first.
 * \ownership the reference ends; a failure of the driver goes to the log.
 */
GS_API gs_status_t gs_pool_destroy(gs_pool_t pool);

/**
 * Allocates memory of a pool in stream order.
 *
 * As gs_malloc_async(), from this pool. The 16 blocks that were freed last in a stream, of 256 MiB together, serve
 * allocations of the same rounded size in that stream without a driver call. If the pool has to grow beyond what it
 * ever had, the stream's go back first, unless all streams keep a 32nd of the pool or less. In a stream that is being
 * captured, in a per-thread stream and in one that the library does not own, every call goes to the driver; in a
 * capture the memory becomes the graph's.
 *
 * \param[in]  pool         live pool.
 * \param[in]  bytes        size; 0 allocates nothing: *out_pointer is NULL.
 * \param[in]  stream       a stream of the pool's device; GS_STREAM_CURRENT allowed.
 * \param[out] out_pointer  not NULL; address of the memory, uninitialised, aligned to at least 256 bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pointer is NULL, bytes is above PTRDIFF_MAX),
 *         GS_ERROR_INVALID_HANDLE (pool is not a live pool, or stream not a live stream), GS_ERROR_DEVICE_MISMATCH (the
 *         stream is of another device), GS_ERROR_NOT_SUPPORTED (the device does not support stream-ordered allocation),
 *         GS_ERROR_OUT_OF_MEMORY (also: the pool's limit would be exceeded); the start statuses; the driver statuses;
 *         the call statuses.
 * \cost queue
 * \ownership the caller's, until gs_free_async() or gs_free_after().
 * \backends host: memory of the process, readable by host code as well.
 */
GS_API gs_status_t gs_pool_malloc(gs_pool_t pool, size_t bytes, gs_stream_t stream, void **out_pointer);

/**
 * Returns freed memory of a pool to the driver, and from there to the system.
 *
 * First what the library keeps for streams, then what the driver has reserved beyond keep_bytes and no pending work may
 * still use. Of a stream that has nothing else to do the library's own frees are waited for, which takes microseconds;
 * streams that are busy keep their memory until a later call.
 *
 * \param[in] pool        live pool.
 * \param[in] keep_bytes  what the driver keeps reserved at least, bytes; 0: as little as possible.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_pool_trim(gs_pool_t pool, uint64_t keep_bytes);

/**
 * Returns what a pool has and has had.
 *
 * The numbers belong together, but for those of the driver: reserved_bytes and reserved_peak_bytes. They are asked for
 * beside the others, if struct_size has room for them. A caller whose struct ends before makes no driver call. Memory
 * that other code has freed with the driver's own call counts until its address is allocated again.
 *
 * \param[in]     pool       live pool.
 * \param[in,out] out_stats  not NULL; struct_size set; filled as far as that reaches.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_stats is NULL or has an invalid struct_size),
 *         GS_ERROR_INVALID_HANDLE (pool is not a live pool); the driver statuses; the call statuses.
 * \cost driver
 * \backends host: reserved_bytes is what is allocated and cached.
 */
GS_API gs_status_t gs_pool_get_stats(gs_pool_t pool, gs_pool_stats_t *out_stats);

/**
 * Lowers the peaks of a pool's statistics to the present values.
 *
 * Of a default pool on CUDA, the driver's peak is lowered for other code as well.
 *
 * \param[in] pool  live pool.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the driver statuses; the call statuses.
 * \cost driver
 */
GS_API gs_status_t gs_pool_reset_peak(gs_pool_t pool);

/**
 * Limits what a pool takes from the driver.
 *
 * An allocation that would exceed the limit first gives back what the library keeps for streams. If other threads are
 * giving memory back, it waits for about a tenth of a second at most. Then it fails with GS_ERROR_OUT_OF_MEMORY. What
 * is allocated already is not affected.
 *
 * \param[in] pool   live pool.
 * \param[in] bytes  the most that is allocated and kept, bytes; 0: no limit.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the call statuses.
 * \cost library
 */
GS_API gs_status_t gs_pool_set_limit(gs_pool_t pool, uint64_t bytes);

/**
 * Makes a pool the one that the calling thread's gs_malloc_async() uses on the pool's device.
 *
 * Memory that is allocated already is not affected. The current device and streams do not change.
 *
 * \param[in] pool  live pool; the default pool of its device to end it.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the call statuses.
 * \cost library
 * \threadsafety any thread; affects the calling thread only.
 * \ownership the thread owns a reference until it makes another pool of the device current, or ends.
 */
GS_API gs_status_t gs_set_current_pool(gs_pool_t pool);

/**
 * Returns the pool that the calling thread's gs_malloc_async() uses on a device.
 *
 * The device's default pool, unless gs_set_current_pool() made another one current.
 *
 * \param[in]  device    the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_pool  not NULL; the pool.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_pool is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the call statuses.
 * \cost start
 * \threadsafety any thread; each thread has its own.
 * \ownership borrowed until this thread next makes another pool of the device current; to keep it, use
 *            gs_pool_retain().
 */
GS_API gs_status_t gs_current_pool(gs_device_t device, gs_pool_t *out_pool);

/**
 * Frees device memory once several streams have finished what they have been given so far.
 *
 * For memory that more than one stream uses. None of the streams waits: the memory is freed in a stream of the
 * library's own, one for each device, which waits for all of them. Frees of this kind take effect in the order of the
 * calls. After a failure the memory is still allocated, unless gs_free_async() describes it otherwise.
 *
 * If one of the streams is being captured, the memory lives as long as the graph, its executables and their launches.
 * It also lives until the work is done that the stream has outside of the capture. The stream is marked for that when
 * its capture ends, by its next submission or by gs_trim(): see gs_stream_defer().
 *
 * \param[in] pointer  from gs_malloc_async() or gs_pool_malloc(); NULL does nothing.
 * \param[in] streams  [count] not NULL; live streams of the memory's backend; GS_STREAM_CURRENT allowed.
 * \param[in] count    number of streams, at least 1.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (streams is NULL, count is 0, or pointer is not allocated by the library
 *         or is freed already), GS_ERROR_INVALID_HANDLE (one of the streams is not a live stream),
 *         GS_ERROR_DEVICE_MISMATCH (one is of another backend than the memory); the start statuses; the driver
 *         statuses; the call statuses.
 * \cost queue
 * \ownership the caller's ownership ends.
 */
GS_API gs_status_t gs_free_after(void *pointer, const gs_stream_t *streams, size_t count);

/**
 * Makes a pool the one from which gs_allocator_malloc() allocates on the pool's device, on all threads.
 *
 * Until then, and once the default pool of the device is made it, gs_allocator_malloc() allocates from the calling
 * thread's current pool. Memory that is allocated already is not affected.
 *
 * \param[in] pool  live pool; the default pool of its device to end it.
 * \return GS_OK, or: GS_ERROR_INVALID_HANDLE (pool is not a live pool); the call statuses.
 * \cost library
 * \threadsafety any thread; affects all threads.
 * \ownership the library owns a reference until another pool of the device is made it.
 */
GS_API gs_status_t gs_allocator_set_pool(gs_pool_t pool);

/**
 * Allocates device memory for another library, which passes the driver's stream.
 *
 * As gs_malloc_async(), in a stream that gs_stream_from_native() would find; no wrap of it is left. It is called as
 * void *(ssize_t, int, cudaStream_t), the type of the functions that PyTorch's CUDAPluggableAllocator takes by their
 * names. The pool is that of gs_allocator_set_pool(). In a capture, of whichever library, the memory becomes the
 * graph's.
 *
 * \param[in] bytes   size; 0 allocates nothing.
 * \param[in] device  the stream's device, as GS_DEVICE_CURRENT or a number of the default backend: PyTorch's ordinals.
 * \param[in] native  a cudaStream_t as a number.
 * \return the address of the memory, uninitialised, aligned to at least 256 bytes. 0: nothing was allocated; unless
 *         bytes is 0, gs_last_error() says why: what gs_stream_from_native(), gs_pool_malloc() and gs_malloc_async()
 *         may return.
 * \cost queue
 * \ownership the caller's, until gs_allocator_free(), gs_free_async() or gs_free_after().
 * \backends host: memory of the process; natives of live host streams.
 */
GS_API uintptr_t gs_allocator_malloc(size_t bytes, gs_device_t device, uintptr_t native);

/**
 * Makes gs_allocator_free() of memory wait for another stream that uses the memory, too.
 *
 * The free is then one by gs_free_after(): what is submitted to the stream until the free comes before it. The function
 * may be called as void(void *, cudaStream_t), the type that set_record_stream_fn() of PyTorch's allocator expects.
 * Other functions that free do not know of the stream.
 *
 * \param[in] pointer  from gs_allocator_malloc(); NULL does nothing.
 * \param[in] native   a cudaStream_t of any device as a number; it must live until the memory is freed.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (pointer is freed already, a graph's, or not allocated by the library),
 *         GS_ERROR_INVALID_HANDLE (native is no stream, as far as the backend can determine it),
 *         GS_ERROR_NOT_SUPPORTED (the stream belongs to a context that is not its device's primary one); the start
 *         statuses; the driver statuses; the call statuses.
 * \cost queue
 * \ownership the library owns a wrap of the stream until gs_allocator_free().
 */
GS_API gs_status_t gs_allocator_record_stream(void *pointer, uintptr_t native);

/**
 * Frees memory for another library, which passes the driver's stream.
 *
 * As gs_free_async(), in a stream that gs_stream_from_native() would find; no wrap of it is left. It may be called as
 * void(void *, ssize_t, int, cudaStream_t), the type that PyTorch's CUDAPluggableAllocator expects: the caller need not
 * look at the result. In a stream that is being captured, memory from before the capture is freed as by
 * gs_free_after(). Unless the program has a wrap of the stream, the next gs_device_synchronize() comes before that. The
 * stream must live: NVIDIA's driver ends the process (signal 11) if it is asked about one that was destroyed.
 *
 * \param[in] pointer  from gs_allocator_malloc() on the same device, or as gs_free_async() takes it; NULL does nothing.
 * \param[in] bytes    any value: the library knows the size.
 * \param[in] device   the stream's device, as for gs_allocator_malloc(); GS_DEVICE_CURRENT allowed.
 * \param[in] native   a cudaStream_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (pointer is freed already, or not allocated as far as the backend can
 *         determine it), GS_ERROR_INVALID_HANDLE (native is no stream, as far as the backend can determine it),
 *         GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_DEVICE_MISMATCH (the memory or the stream belongs to
 *         another device), GS_ERROR_NOT_SUPPORTED (the stream belongs to a context that is not its device's primary
 *         one); the start statuses; the driver statuses; the call statuses.
 * \cost queue
 * \ownership the caller's ownership ends.
 */
GS_API gs_status_t gs_allocator_free(void *pointer, size_t bytes, gs_device_t device, uintptr_t native);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_MEMORY_H */
