/* SPDX-License-Identifier: Apache-2.0 */
/**
 * \file gpustream/inventory.h
 * Inventory and telemetry: the machine's devices and their state, read from the vendor's management library (NVML).
 *
 * Monitors and schedulers need it: nothing here starts the CUDA driver or creates a context.
 *
 * \tier preview
 */
#ifndef GPUSTREAM_INVENTORY_H
#define GPUSTREAM_INVENTORY_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * One GPU, or one MIG instance of a GPU, as NVIDIA's management library (NVML) lists it. CUDA is not needed for it.
 * What NVML does not report is 0 or an empty text.
 */
typedef struct gs_inventory_entry {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_OK; GS_ERROR_DRIVER: the GPU is listed but cannot be queried, or NVML cannot report whether it is divided
        into MIG instances (no permission, fallen off the bus). */
    gs_status_t status;
    /** NVML's code beside a status that is not GS_OK, else 0. */
    int32_t native_code;
    /** NVML's index of the GPU; for a MIG instance, of its parent GPU. */
    int32_t nvml_index;
    /** Ordinal of the CUDA device in this process; -1: not visible to it; -2: not known (see gs_inventory_index()). */
    int32_t ordinal;
    /** 1 for a MIG instance, 0 for a GPU. */
    int32_t is_mig;
    /** NVML's index of the instance on its GPU; -1 for a GPU. */
    int32_t mig_index;
    /** 1 for a GPU that is divided into MIG instances; only the instances can be used. */
    int32_t mig_enabled;
    /** Compute capability, major number. */
    int32_t capability_major;
    /** Compute capability, minor number. */
    int32_t capability_minor;
    /** 1 if the three pci fields are known, else 0. */
    int32_t has_pci;
    /** PCI domain of the GPU. */
    int32_t pci_domain;
    /** PCI bus. */
    int32_t pci_bus;
    /** PCI device (slot). */
    int32_t pci_device;
    /** Memory, bytes; of the instance for MIG. */
    uint64_t total_memory_bytes;
    /** UUID as text, with the prefix "GPU-" or "MIG-", NUL-terminated. */
    char uuid[96];
    /** Name, NUL-terminated UTF-8, truncated to fit. */
    char name[96];
} gs_inventory_entry_t;

/* ---- inventory and telemetry ----------------------------------------------------------------- */

/**
 * Counts the GPUs of the machine and their MIG instances, whether or not this process may use them.
 *
 * Queries NVML, never CUDA: it initialises no driver, creates no context, and a program that makes only such queries
 * may still fork. Entries 0 to out_gpus - 1 of gs_inventory_get() are the GPUs in the order of NVML's index, the rest
 * are MIG instances.
 *
 * \param[out] out_gpus     not NULL; number of GPUs.
 * \param[out] out_entries  not NULL; number of GPUs and MIG instances.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_UNAVAILABLE (NVML is missing or does not
 *         match the kernel module), GS_ERROR_DRIVER (NVML failed; native_code is its code), GS_ERROR_BAD_FORK (forked
 *         while another thread was inside NVML, or see Fork); the common statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \backends host: its virtual devices are not part of the inventory.
 */
GS_API gs_status_t gs_inventory_count(int32_t *out_gpus, int32_t *out_entries);

/**
 * Describes one GPU or MIG instance of the machine.
 *
 * Queries NVML as gs_inventory_count() does, at each call, because MIG instances come and go. A GPU that cannot be
 * queried is an entry too: its field status says why.
 *
 * \param[in]     index      0 or more, below the out_entries of gs_inventory_count().
 * \param[in,out] out_entry  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_entry is NULL or its struct_size out of range, or there is no such
 *         entry), GS_ERROR_UNAVAILABLE (NVML is missing or does not match the kernel module), GS_ERROR_DRIVER (NVML
 *         failed; native_code is its code), GS_ERROR_BAD_FORK (forked while another thread was inside NVML, or see
 *         Fork); the common statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership the texts are copies.
 * \backends as gs_inventory_count().
 */
GS_API gs_status_t gs_inventory_get(int32_t index, gs_inventory_entry_t *out_entry);

/**
 * Returns the index of a CUDA device's inventory entry.
 *
 * The entry is found by UUID, else by PCI address, never by position. Before the backend is started the result follows
 * from CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER: it is known if the list names UUIDs, if the order is PCI_BUS_ID, or
 * if all GPUs are of the same model. Otherwise the driver would put the fastest GPU first, which only the driver can
 * determine, and the result is GS_ERROR_NOT_SUPPORTED rather than a guess. If another library has initialised CUDA, the
 * driver is queried. A forked child cannot query it and uses what the driver reported to the parent, else the variables
 * as the driver read them.
 *
 * \param[in]  device     a device of the cuda backend; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_index  not NULL; the index for gs_inventory_get().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_index is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (a device of another backend, or its entry cannot be determined yet),
 *         GS_ERROR_UNAVAILABLE (NVML is missing or does not match the kernel module), GS_ERROR_DRIVER (NVML failed;
 *         native_code is its code), GS_ERROR_BAD_FORK (forked while another thread was inside NVML, see also Fork, or
 *         GS_DEVICE_CURRENT in a forked child); for GS_DEVICE_CURRENT the start statuses; the common statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function and in a forked child.
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 */
GS_API gs_status_t gs_inventory_index(gs_device_t device, int32_t *out_index);

/**
 * Parses a value of CUDA_VISIBLE_DEVICES.
 *
 * A value that begins with "GPU-" or "MIG-" is a list of such names: an element without the same prefix ends it, and
 * elements are not trimmed. Any other value is a list of numbers: blanks around an element, a sign and characters
 * behind the digits are ignored; a negative number or an element without digits ends the list. A repeated element makes
 * the whole list empty. Whether the devices exist is not checked.
 *
 * \param[in]  value     the value, NUL-terminated; NULL means that the variable is not set, which yields 0 to 63.
 * \param[out] out_list  not NULL; the elements in their order, separated by commas; "" if there is none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_list is NULL); the common statuses.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership the list is borrowed until the thread's next gs_parse_visible_devices() or gs_match_uuids().
 */
GS_API gs_status_t gs_parse_visible_devices(const char *value, const char **out_list);

/**
 * Matches a list of UUID prefixes against a list of UUIDs.
 *
 * A candidate that is the prefix of no UUID, or of more than one, ends the list; two candidates for one UUID make it
 * empty. Both lists are used verbatim: "" is a list of one empty element, which is a prefix of every UUID.
 *
 * \param[in]  candidates  not NULL; prefixes of UUIDs, separated by commas, NUL-terminated.
 * \param[in]  uuids       not NULL; complete UUIDs, separated by commas, NUL-terminated.
 * \param[out] out_list    not NULL; positions in uuids, from 0, separated by commas; "" if there is none.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (a pointer is NULL); the common statuses.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership the list is borrowed until the thread's next gs_parse_visible_devices() or gs_match_uuids().
 */
GS_API gs_status_t gs_match_uuids(const char *candidates, const char *uuids, const char **out_list);

/**
 * Returns the utilization of a device.
 *
 * Utilization is the share of the last sample period (a sixth of a second to one second) in which a kernel ran. Starts
 * no backend: like all telemetry it queries NVML, by the UUID of the device.
 *
 * \param[in]  device       the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_percent  not NULL; 0 to 100 %.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_percent is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \backends host: the machine's load over the last minute, per processor.
 */
GS_API gs_status_t gs_device_utilization_percent(gs_device_t device, int32_t *out_percent);

/**
 * Returns the utilization of a device's memory.
 *
 * It is the share of the last sample period in which device memory was read or written, not the share that is
 * allocated.
 *
 * \param[in]  device       the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_percent  not NULL; 0 to 100 %.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_percent is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \backends host: the share of the memory that is in use.
 */
GS_API gs_status_t gs_device_memory_utilization_percent(gs_device_t device, int32_t *out_percent);

/**
 * Returns the temperature of a device.
 *
 * The value is that of the GPU core's sensor.
 *
 * \param[in]  device       the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_celsius  not NULL; degrees Celsius.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_celsius is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \backends host: the warmest thermal zone of the machine, if there is one.
 */
GS_API gs_status_t gs_device_temperature_celsius(gs_device_t device, int32_t *out_celsius);

/**
 * Returns the power that a device draws.
 *
 * The value covers the whole board if the device measures it; most devices average over one second.
 *
 * \param[in]  device          the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_milliwatts  not NULL; milliwatts.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_milliwatts is NULL), GS_ERROR_INVALID_DEVICE (no such device, or
 *         not visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \backends host: GS_ERROR_NOT_SUPPORTED.
 */
GS_API gs_status_t gs_device_power_milliwatts(gs_device_t device, int32_t *out_milliwatts);

/**
 * Returns the present clock of a device's multiprocessors.
 *
 * Idle devices reduce their clock.
 *
 * \param[in]  device   the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_mhz  not NULL; megahertz.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_mhz is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \backends host: the clock of the first processor, if the system reports it.
 */
GS_API gs_status_t gs_device_sm_clock_mhz(gs_device_t device, int32_t *out_mhz);

/**
 * Returns how much of a device's memory is in use by all processes.
 *
 * Creates no context. The three values are of one moment. Memory that the driver reserves is part of total only, or of
 * used if the driver is too old to distinguish them. If NVML is missing or does not measure memory, a cuda backend that
 * is started queries the driver (cuMemGetInfo) for a device that has a context; for a device without one the result is
 * GS_ERROR_NOT_SUPPORTED.
 *
 * \param[in]  device     the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_used   not NULL; bytes.
 * \param[out] out_free   not NULL; bytes.
 * \param[out] out_total  not NULL; bytes.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (an output is NULL), GS_ERROR_INVALID_DEVICE (no such device, or not
 *         visible), GS_ERROR_NOT_SUPPORTED (the device does not measure it, for instance a MIG instance; or the
 *         device's GPU cannot be determined yet, see gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or
 *         does not match the kernel module), GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost;
 *         native_code is its code); for GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \backends host: the machine's memory; free is what programs can still allocate.
 */
GS_API gs_status_t gs_device_memory_bytes(gs_device_t device, uint64_t *out_used, uint64_t *out_free,
                                          uint64_t *out_total);

/**
 * Lists the architectures that the library contains kernels for.
 *
 * sm_NN is machine code for that capability, compute_NN is PTX, which the driver compiles for every later capability
 * too.
 *
 * \param[in] backend  any number; GS_BACKEND_DEFAULT means the default backend.
 * \return the names separated by blanks, never NULL; "" for host and for a backend that is not part of this build.
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends host: "".
 */
GS_API const char *gs_arch_list(gs_backend_t backend);

/**
 * Returns the compiler options that build kernels for the architectures of gs_arch_list().
 *
 * There is one option per architecture, in the form of torch.cuda.get_gencode_flags(); nvcc spells the first part
 * "arch=".
 *
 * \param[in] backend  any number; GS_BACKEND_DEFAULT means the default backend.
 * \return the options separated by blanks, never NULL; "" exactly if gs_arch_list() returns "".
 * \cost library
 * \threadsafety any thread, also in a host function and in a forked child.
 * \ownership static, never freed.
 * \backends host: "".
 */
GS_API const char *gs_gencode_flags(gs_backend_t backend);

/**
 * Returns a cuBLAS handle bound to the calling thread's current stream.
 *
 * There is one handle per thread, device and stream, created at the first call; each call binds it to the stream again.
 * The libcublas that the process has loaded is used, else one is opened; version 13 is preferred to 12. If none is
 * found, the next call searches again. A capture begun by another thread is not disturbed.
 *
 * \param[out] out_handle  not NULL; a cublasHandle_t as a number.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_handle is NULL), GS_ERROR_NOT_SUPPORTED (libcublas is missing, or
 *         the current device is not a cuda device); the start statuses; the driver statuses; the call statuses.
 * \blocking while cuBLAS loads and makes a handle, which may wait for device work
 * \cost wait
 * \threadsafety any thread; the handle is for the calling thread only.
 * \ownership borrowed: valid until the process ends, and must not be destroyed. The handles of a thread that has ended
 *            are reused by a later one.
 * \backends cuda: creates the device's primary context if there is none; host: GS_ERROR_NOT_SUPPORTED.
 */
GS_API gs_status_t gs_current_blas_handle(uintptr_t *out_handle);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_INVENTORY_H */
