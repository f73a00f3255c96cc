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
    /** GS_OK; GS_ERROR_DRIVER: the GPU is listed, but NVML fails to query it, or to report whether it is divided
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

/** Flags of gs_device_get_telemetry() and gs_telemetry_t.known: what is to be read, and what was read. */
enum {
    /** gs_telemetry_t.utilization_percent. */
    GS_TELEMETRY_UTILIZATION = 1,
    /** gs_telemetry_t.memory_utilization_percent. */
    GS_TELEMETRY_MEMORY_UTILIZATION = 2,
    /** gs_telemetry_t.temperature_celsius. */
    GS_TELEMETRY_TEMPERATURE = 4,
    /** gs_telemetry_t.power_milliwatts. */
    GS_TELEMETRY_POWER = 8,
    /** gs_telemetry_t.sm_clock_mhz. */
    GS_TELEMETRY_SM_CLOCK = 16,
    /** gs_telemetry_t.memory_used_bytes, memory_free_bytes and memory_total_bytes, which are of one moment. */
    GS_TELEMETRY_MEMORY = 32
};

/** What a device measures of itself: gs_device_get_telemetry(). Fields that are not in `known` are 0. */
typedef struct gs_telemetry {
    /** Size of the caller's struct, bytes; set before the call. */
    uint32_t struct_size;
    /** GS_TELEMETRY_* values combined: the fields that were asked for and could be read. */
    uint32_t known;
    /**
     * Share of the last sample period (a sixth of a second to one second) in which a kernel ran, percent. Host: the
     * machine's load over the last minute, per processor.
     */
    int32_t utilization_percent;
    /**
     * Share of the last sample period in which device memory was read or written, percent, not the share that is
     * allocated. Host: the share of the memory that is in use.
     */
    int32_t memory_utilization_percent;
    /** Temperature of the GPU core's sensor, degrees Celsius. Host: the warmest thermal zone of the machine. */
    int32_t temperature_celsius;
    /** Power that the whole board draws, milliwatts; most devices average over one second. Host: not known. */
    int32_t power_milliwatts;
    /** Present clock of the multiprocessors, megahertz. Host: the clock of the first processor. */
    int32_t sm_clock_mhz;
    /** Always 0. */
    uint32_t reserved;
    /** Memory that all processes together use, bytes. */
    uint64_t memory_used_bytes;
    /** Memory that programs can still allocate, bytes. */
    uint64_t memory_free_bytes;
    /**
     * All memory of the device, bytes. What the driver reserves is part of this only, or of used if the driver is too
     * old to distinguish them.
     */
    uint64_t memory_total_bytes;
} gs_telemetry_t;

/* ---- inventory and telemetry ----------------------------------------------------------------- */

/**
 * Counts the GPUs of the machine and their MIG instances, whether or not this process may use them.
 *
 * Queries NVML instead of CUDA: a program that makes only such queries initialises no driver and may still fork.
 * Entries 0 to out_gpus - 1 of gs_inventory_get() are the GPUs in the order of NVML's index, the rest are MIG
 * instances.
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
 * from CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER. It is known if the list names UUIDs, if the order is PCI_BUS_ID, or
 * if all GPUs are of the same model. Otherwise the driver would put the fastest GPU first, which only the driver can
 * determine, and the result is GS_ERROR_NOT_SUPPORTED rather than a guess. If another library has initialised CUDA, the
 * driver is queried. A forked child cannot query it and uses what the driver reported to the parent, else the variables
 * as the driver read them.
 *
 * \param[in]  device     a device of the cuda backend; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[out] out_index  not NULL; the index for gs_inventory_get().
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_index is NULL), GS_ERROR_INVALID_DEVICE (no such device, or a
 *         hidden one), GS_ERROR_NOT_SUPPORTED (a device of another backend, or its entry cannot be determined yet),
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
 * \ownership the list is borrowed until the thread's next gs_parse_visible_devices().
 */
GS_API gs_status_t gs_parse_visible_devices(const char *value, const char **out_list);

/**
 * Returns what a device measures of itself: its load, temperature, power, clock and memory.
 *
 * Each field is read by itself, and known says which could be read. The call fails only if none could, with the failure
 * of one of them. The call neither starts a backend nor creates a context: it queries NVML, by the UUID of the device.
 * If NVML is missing or does not measure memory, a cuda backend that is started queries the driver (cuMemGetInfo) for a
 * device that has a context.
 *
 * \param[in]     device         the device; GS_DEVICE_CURRENT allowed, which initialises the library.
 * \param[in]     fields         GS_TELEMETRY_* values combined: what to read; 0: everything.
 * \param[in,out] out_telemetry  not NULL; struct_size set by the caller.
 * \return GS_OK, or: GS_ERROR_INVALID_ARGUMENT (out_telemetry is NULL, its struct_size is out of range, or fields has
 *         an unknown bit), GS_ERROR_INVALID_DEVICE (no such device, or a hidden one), GS_ERROR_NOT_SUPPORTED (the
 *         device measures none of it, for instance a MIG instance; or its GPU cannot be determined yet, see
 *         gs_inventory_index()), GS_ERROR_UNAVAILABLE (NVML is missing or does not match the kernel module),
 *         GS_ERROR_DRIVER (NVML failed, for instance because the GPU was lost; native_code is its code); for
 *         GS_DEVICE_CURRENT the start statuses; the getter statuses.
 * \cost inventory
 * \threadsafety any thread, also in a host function.
 * \backends host: see the fields.
 */
GS_API gs_status_t gs_device_get_telemetry(gs_device_t device, uint32_t fields, gs_telemetry_t *out_telemetry);

#ifdef __cplusplus
}
#endif

#endif /* GPUSTREAM_INVENTORY_H */
