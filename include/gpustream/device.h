/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/device.h
 * Devices: how many there are, the calling thread's current device, what a device can do, synchronization with all of
 * its work.
 *
 * A program with one device needs none of this: device 0 is current from the start. A program with several devices
 * makes one of them current on each thread, or names the device where it creates a stream.
 *
 * \tier stable
 */
#ifndef GPUSTREAM_DEVICE_H
#define GPUSTREAM_DEVICE_H

#include "library.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of a device: gs_device_get_limit() and gs_device_set_limit(). The numbers are those of CUDA's CUlimit. */
enum {
    /** Stack of each thread of a kernel, bytes. */
    GS_LIMIT_STACK_SIZE = 0,
    /** Memory for what kernels print, bytes. */
    GS_LIMIT_PRINTF_FIFO_SIZE = 1,
    /** Memory that kernels may allocate, bytes. */
    GS_LIMIT_MALLOC_HEAP_SIZE = 2,
    /** How deep a kernel that starts kernels may wait for them; of old devices only. */
    GS_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
    /** How many kernels that kernels have started may be pending. */
    GS_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4,
    /** What the second-level cache fetches at once at most, bytes; a hint. */
    GS_LIMIT_MAX_L2_FETCH_GRANULARITY = 5,
    /** What the second-level cache sets aside for persisting accesses, bytes. */
    GS_LIMIT_PERSISTING_L2_CACHE_SIZE = 6
};

/** Properties of a device. A property that the backend or driver does not report is 0. */
typedef struct gs_device_info {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** Ordinal within the backend. */
    int32_t ordinal;
    /** GS_BACKEND_HOST or above. */
    gs_backend_t backend;
    /** Compute capability, major number; 0 on host. */
    int32_t capability_major;
    /** Compute capability, minor number. */
    int32_t capability_minor;
    /** Number of multiprocessors; on host, of processors the process may use. */
    int32_t multiprocessor_count;
    /** Threads that run in lockstep; 1 on host. */
    int32_t warp_size;
    /** Maximum number of threads per block. */
    int32_t max_threads_per_block;
    /** Maximum number of resident threads per multiprocessor. */
    int32_t max_threads_per_multiprocessor;
    /** Number of 32-bit registers per multiprocessor. */
    int32_t regs_per_multiprocessor;
    /** Peak clock of the processors, kHz. */
    int32_t clock_khz;
    /** Peak clock of the memory, kHz. */
    int32_t memory_clock_khz;
    /** Width of the memory bus, bits. */
    int32_t memory_bus_width_bits;
    /** Compute mode as CUDA numbers it: 0 shared, 2 prohibited, 3 one process only. */
    int32_t compute_mode;
    /** 1 if the device shares the host's memory, else 0. */
    int32_t integrated;
    /** 1 if error correction is on, else 0. */
    int32_t ecc_enabled;
    /** 1 if the device is a MIG instance, else 0. */
    int32_t is_mig;
    /** 1 if uuid is known, else 0. */
    int32_t has_uuid;
    /** 1 if the three pci fields are known, else 0. */
    int32_t has_pci;
    /** PCI domain. */
    int32_t pci_domain;
    /** PCI bus. */
    int32_t pci_bus;
    /** PCI device (slot). */
    int32_t pci_device;
    /**
     * Lowest stream priority (the largest number), as gs_device_priority_range() returns it. On CUDA this field and the
     * next are 0 while the device has no context, because the driver reports the range only inside one.
     */
    int32_t priority_least;
    /** Highest stream priority (the smallest number). Both 0: one priority only, or the range is not known yet. */
    int32_t priority_greatest;
    /** Memory of the device, bytes. */
    uint64_t total_memory_bytes;
    /** Second-level cache, bytes. */
    uint64_t l2_cache_bytes;
    /** Maximum shared memory per block, bytes. */
    uint64_t shared_memory_per_block_bytes;
    /** Maximum shared memory per block for a kernel that opts in to more than the default, bytes. */
    uint64_t shared_memory_per_block_optin_bytes;
    /** Shared memory per multiprocessor, bytes. */
    uint64_t shared_memory_per_multiprocessor_bytes;
    /** UUID, 16 bytes in the order of the usual text form; of the instance for MIG. */
    uint8_t uuid[16];
    /** Name, NUL-terminated UTF-8, truncated to fit. */
    char name[256];
} gs_device_info_t;

/* ---- devices --------------------------------------------------------------------------------- */

/**
 * Returns the backend that plain device ordinals refer to.
 *
 * GPUSTREAM_BACKEND decides; if it is unset or auto, the backend is cuda if a device is usable, else host. The choice
 * is final once a backend has been started. Starts no backend.
 *
 * \param[out] out_backend  not NULL; GS_BACKEND_HOST or above.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_backend is NULL, or GPUSTREAM_BACKEND holds an unknown name); the
 *         common statuses.
 * \cost start
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_status_t gs_default_backend(gs_backend_t *out_backend);

/**
 * Combines a backend and an ordinal into a device number, as the macro GS_DEVICE() does.
 *
 * With GS_BACKEND_DEFAULT the result is the plain ordinal. Whether the device exists is not checked.
 *
 * \param[in] backend  one of the GS_BACKEND_* numbers.
 * \param[in] ordinal  0 to 65535.
 * \return the device; GS_DEVICE_NONE if a part is out of its range.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_device_t gs_device_make(gs_backend_t backend, int32_t ordinal);

/**
 * Returns the backend part of a device number.
 *
 * This is arithmetic only: the device need not exist.
 *
 * \param[in] device  any number.
 * \return the backend; GS_BACKEND_DEFAULT for a plain ordinal, GS_DEVICE_CURRENT, GS_DEVICE_NONE and other negatives.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_backend_t gs_device_backend(gs_device_t device);

/**
 * Returns the ordinal part of a device number.
 *
 * This is arithmetic only: the device need not exist.
 *
 * \param[in] device  any number.
 * \return the ordinal within the backend; -1 for GS_DEVICE_CURRENT, GS_DEVICE_NONE and other negatives.
 * \cost memory
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API int32_t gs_device_ordinal(gs_device_t device);

/**
 * Counts the devices of a backend.
 *
 * Neither starts a backend nor creates a context, so it is safe before fork. The count follows the environment
 * (CUDA_VISIBLE_DEVICES, GPUSTREAM_HOST_DEVICES) until the backend is started and is fixed from then on. If the driver
 * is unusable the count is 0, also after a failed start. CUDA is never initialised to count devices: if another library
 * has initialised it, the driver is queried, else NVML; if NVML is not usable, the system's device nodes are counted,
 * which may be too many.
 *
 * \param[in]  backend    GS_BACKEND_DEFAULT or above; a known backend that is not part of this build has 0 devices.
 * \param[out] out_count  not NULL; 0 or more.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, backend is not a known number, or it is
 *         GS_BACKEND_DEFAULT and GPUSTREAM_BACKEND holds an unknown name); the common statuses.
 * \cost start
 * \threadsafety any thread, also in a host function and in a forked child.
 */
GS_API gs_status_t gs_device_count(gs_backend_t backend, int32_t *out_count);

/**
 * Returns the calling thread's current device.
 *
 * Until the thread first sets one, it is the device of the driver's current context, else device 0 of the default
 * backend. Creates no context.
 *
 * \param[out] out_device  not NULL; a plain ordinal for the default backend, else qualified.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_device is NULL); the start statuses; the getter statuses.
 * \cost start
 */
GS_API gs_status_t gs_current_device(gs_device_t *out_device);

/**
 * Makes a device current on the calling thread.
 *
 * The driver's current context changes too, but only if the device's primary context already exists, so that none is
 * created. If it comes to exist later, a call that sets the same device again makes it current. So before a thread
 * calls a library that goes by the driver's current context, it uses the device (a stream is enough) and sets it once
 * more. Current streams are not affected.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT keeps the current one.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call
 *         statuses.
 * \cost start
 * \threadsafety any thread; affects the calling thread only.
 * \backends host: there are no contexts.
 */
GS_API gs_status_t gs_set_current_device(gs_device_t device);

/**
 * Makes a device current on the calling thread and returns the previous one.
 *
 * The device changes as by gs_set_current_device(), but a device that has become unusable is made current, too, so that
 * the end of a scope can always go back. Its next use reports the failure.
 *
 * \param[in]  device        the device; GS_DEVICE_CURRENT keeps the current one.
 * \param[out] out_previous  not NULL; the device that was current, never GS_DEVICE_NONE.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_previous is NULL), GS_ERROR_INVALID_DEVICE (no such device); the
 *         start statuses; the driver statuses; the call statuses.
 * \cost start
 * \threadsafety any thread; affects the calling thread only.
 * \backends host: there are no contexts.
 */
GS_API gs_status_t gs_exchange_device(gs_device_t device, gs_device_t *out_previous);

/**
 * Waits until all work submitted to a device before the call is done.
 *
 * Covers every stream of the device, including those of other libraries in its primary context. Work submitted during
 * the call is not waited for. Returns at once if the device was never used.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_SYNC_FORBIDDEN (gs_forbid_sync(), or sync debug
 *         mode "error" with scope "all"), GS_ERROR_NOT_PERMITTED (also inside a notification); the start statuses; the
 *         driver statuses; the call statuses.
 * \blocking until all work submitted to the device before the call is done
 * \cost wait
 * \backends cuda: while a stream of the device is captured it returns GS_ERROR_CAPTURING.
 */
GS_API gs_status_t gs_device_synchronize(gs_device_t device);

/**
 * Checks that a device's context is alive and free of sticky errors.
 *
 * Hot calls do not check for a reset by another library. This call does, and later calls then report what it found.
 * Creates no context.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call
 *         statuses.
 * \cost driver
 * \backends host: reports injected faults only.
 */
GS_API gs_status_t gs_device_check(gs_device_t device);

/**
 * Resets a device: destroys its primary context, with all that any code in the process has created in it.
 *
 * Frees what the process holds there: memory, streams, events, modules, graphs. On CUDA that includes pinned host
 * memory that belongs to the device, of gs_malloc_host() and of pools with GS_POOL_HOST. For the rest of the process,
 * from the beginning of the reset on, each call with the device or an object of it returns GS_ERROR_CONTEXT_LOST, on
 * every thread. Handles can still be destroyed, and hold nothing. Other libraries may go on to use the device, in a new
 * context. A device that has no context yet is left as it is.
 *
 * First waits for the device, as gs_device_synchronize() does, then until the calls of other threads on its streams and
 * events have returned. Work that another thread submits during the reset may be lost. Raw handles and memory that
 * other libraries have of the device are dead: they must not use them at the same time or later.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \return GS_OK, or: GS_ERROR_INVALID_DEVICE (no such device), GS_ERROR_SYNC_FORBIDDEN (the sync debug mode is error
 *         and its scope includes devices), GS_ERROR_CAPTURING (one of its streams is being captured),
 *         GS_ERROR_NOT_PERMITTED (also inside a notification), GS_ERROR_CONTEXT_LOST (it was reset before, or another
 *         thread is resetting it); the start statuses; the driver statuses (if the driver's reset itself fails, the
 *         device counts as reset); the call statuses.
 * \blocking until all work submitted to the device before the call is done
 * \cost wait
 * \threadsafety any thread; of several at a time one resets the device.
 * \backends cuda: cuDevicePrimaryCtxReset; a thread that had the context current has none afterwards if it is the
 *           calling one. host: the virtual device refuses all work; its memory is not returned to the system.
 */
GS_API gs_status_t gs_device_reset(gs_device_t device);

/**
 * Returns the properties of a device.
 *
 * Creates no context. Properties that the driver does not report are 0. A device number that names its backend needs
 * only that backend, not the default one.
 *
 * \param[in]     device    the device; GS_DEVICE_CURRENT allowed.
 * \param[in,out] out_info  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_info is NULL or its struct_size out of range),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call statuses.
 * \cost driver
 * \ownership the texts are copies.
 * \backends host: the machine's values; the compute capability is 0.0.
 */
GS_API gs_status_t gs_device_get_info(gs_device_t device, gs_device_info_t *out_info);

/**
 * Reports whether kernels on one device can access the memory of another directly.
 *
 * Neither enables access nor creates a context. For a device and itself the result is 0, as the driver reports it.
 *
 * \param[in]  device          the accessing device; GS_DEVICE_CURRENT allowed.
 * \param[in]  peer            the device whose memory is accessed; GS_DEVICE_CURRENT allowed.
 * \param[out] out_can_access  not NULL; 1 or 0. 0 for devices of different backends.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_can_access is NULL), GS_ERROR_INVALID_DEVICE (one of the two does
 *         not exist); the start statuses; the driver statuses; the call statuses.
 * \cost driver
 * \backends host: 1 for two different devices.
 */
GS_API gs_status_t gs_device_can_access_peer(gs_device_t device, gs_device_t peer, int32_t *out_can_access);

/**
 * Lists the devices whose memory kernels on a device can access directly.
 *
 * Neither enables access nor creates a context. The device itself is not listed.
 *
 * \param[in]  device       the accessing device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_devices  [capacity] the devices, as many as fit; NULL only if capacity is 0.
 * \param[in]  capacity     how many fit.
 * \param[out] out_count    not NULL; how many there are.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_count is NULL, or out_devices is and capacity is not 0),
 *         GS_ERROR_INVALID_DEVICE (no such device); the start statuses; the driver statuses; the call statuses.
 * \cost driver
 * \backends host: all other devices of the backend.
 */
GS_API gs_status_t gs_device_peers(gs_device_t device, gs_device_t *out_devices, size_t capacity, size_t *out_count);

/**
 * Finds a device by its PCI address.
 *
 * Among the devices of the default backend that this process can use; the inventory has all of the machine. A MIG
 * instance has the address of its GPU: the first device that has the address is found.
 *
 * \param[in]  address     not NULL; domain, bus, device and function in hexadecimal, "0000:3b:00.0"; the domain (0) and
 *                         the function may be left out.
 * \param[out] out_device  not NULL; the device.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (address or out_device is NULL, or address is of another form),
 *         GS_ERROR_INVALID_DEVICE (no device has it); the start statuses; the driver statuses; the call statuses.
 * \cost driver
 * \backends host: its devices have no address.
 */
GS_API gs_status_t gs_device_from_pci(const char *address, gs_device_t *out_device);

/**
 * Returns a limit of a device.
 *
 * It holds for all kernels of the process on the device, and belongs to the device's primary context.
 *
 * \param[in]  device     the device; GS_DEVICE_CURRENT allowed.
 * \param[in]  limit      GS_LIMIT_*.
 * \param[out] out_value  not NULL; the limit, in the unit that its constant names.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_value is NULL, limit is unknown), GS_ERROR_INVALID_DEVICE (no such
 *         device), GS_ERROR_NOT_SUPPORTED (the device has no such limit); the start statuses; the driver statuses; the
 *         call statuses.
 * \cost driver
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 */
GS_API gs_status_t gs_device_get_limit(gs_device_t device, int32_t limit, uint64_t *out_value);

/**
 * Sets a limit of a device.
 *
 * Other code in the process that uses the device is affected, too. The driver may round the value, and change some
 * limits only before the first kernel that depends on them; gs_device_get_limit() returns what holds.
 *
 * \param[in] device  the device; GS_DEVICE_CURRENT allowed.
 * \param[in] limit   GS_LIMIT_*.
 * \param[in] value   the limit, in the unit that its constant names.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (limit is unknown, or value impossible), GS_ERROR_INVALID_DEVICE (no
 *         such device), GS_ERROR_NOT_SUPPORTED (the device has no such limit); the start statuses; the driver statuses;
 *         the call statuses.
 * \blocking while the driver waits for kernels that use what the limit is about
 * \cost wait
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 */
GS_API gs_status_t gs_device_set_limit(gs_device_t device, int32_t limit, uint64_t value);

/**
 * Returns the range of stream priorities of a device.
 *
 * A lower number is a higher priority: least >= greatest. Both are 0 if the device has no priorities.
 *
 * \param[in]  device        the device; GS_DEVICE_CURRENT allowed.
 * \param[out] out_least     not NULL; the number of the lowest priority.
 * \param[out] out_greatest  not NULL; the number of the highest priority.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_INVALID_DEVICE (no such device); the start
 *         statuses; the driver statuses; the call statuses.
 * \cost driver
 * \backends cuda: creates the device's primary context if there is none, because the driver reports the range only
 *           inside one.
 */
GS_API gs_status_t gs_device_priority_range(gs_device_t device, int32_t *out_least, int32_t *out_greatest);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_DEVICE_H */
