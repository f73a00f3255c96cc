/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of NVML that gpustream may call, with NVML's own signatures. FAKE_NVML_OLD leaves out what releases of
   2021 did not have, FAKE_NVML_BROKEN one that every release has. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "fake_nvml/fake_nvml.h"
#include "fake_nvml/world.h"

enum {
    OK = 0,
    UNINITIALIZED = 1,
    INVALID_ARGUMENT = 2,
    NOT_SUPPORTED = 3,
    NO_PERMISSION = 4,
    NOT_FOUND = 6,
    LOST = 15,
    VERSION = 25
};

typedef struct fake_device *device_t;
struct pci_info {
    char bus_id_legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
struct utilization {
    unsigned gpu, memory;
};
struct memory {
    uint64_t total, free, used;
};

/* As NVML (seen with driver 580), a forked child has to initialise it again. The mutex makes "another process, so start at 0"
   one step: two threads that initialise at the same time are two users. */
static pthread_mutex_t g_users_mutex = PTHREAD_MUTEX_INITIALIZER;
static int32_t g_users;
static pid_t g_process;

static int32_t add_users(int32_t more) {
    pthread_mutex_lock(&g_users_mutex);
    if (g_process != getpid()) g_users = 0;
    g_process = getpid();
    g_users += more;
    const int32_t users = g_users;
    pthread_mutex_unlock(&g_users_mutex);
    return users;
}

int32_t fake_nvml_users(void) { return add_users(0); }

#define ENTER()                                                                                                        \
    do {                                                                                                               \
        const int entered = world_enter(__func__);                                                                     \
        if (entered) return entered;                                                                                   \
        if (fake_nvml_users() <= 0) return UNINITIALIZED;                                                              \
    } while (0)
#define ENTER_DEVICE(device)                                                                                           \
    do {                                                                                                               \
        ENTER();                                                                                                       \
        if (!(device)) return INVALID_ARGUMENT;                                                                        \
        if (world_listed("FAKE_NVML_LOST", (device)->gpu)) return LOST;                                                \
    } while (0)

int nvmlInit_v2(void) {
    const int entered = world_enter(__func__);
    if (entered) return entered;
    add_users(1);
    return OK;
}

int nvmlShutdown(void) {
    ENTER();
    add_users(-1);
    return OK;
}

int nvmlDeviceGetCount_v2(unsigned *out) {
    ENTER();
    *out = (unsigned)world_gpus();
    return OK;
}

#ifndef FAKE_NVML_BROKEN
int nvmlDeviceGetHandleByIndex_v2(unsigned index, device_t *out) {
    ENTER();
    if ((int)index >= world_gpus()) return INVALID_ARGUMENT;
    const int gpu = world_gpu_at((int)index);
    if (world_listed("FAKE_NVML_CLOSED", gpu)) return NO_PERMISSION;
    *out = world_device(gpu, -1);
    return OK;
}
#endif

static void uuid_of(const struct fake_device *device, char *out, size_t size) {
    if (device->instance < 0) /* as in the fake CUDA driver */
        snprintf(out, size, "GPU-67707573-7472-6561-6d2d-66616b652d%02x", (unsigned)device->gpu);
    else
        snprintf(out, size, "MIG-00000000-0000-0000-0000-00000000%02x%02x", (unsigned)device->gpu,
                 (unsigned)device->instance);
}

int nvmlDeviceGetHandleByUUID(const char *uuid, device_t *out) {
    ENTER();
    for (int gpu = 0; gpu < world_gpus(); ++gpu)
        for (int instance = -1; instance < world_instances(gpu); ++instance) {
            char text[96];
            uuid_of(world_device(gpu, instance), text, sizeof text);
            if (strcmp(text, uuid) != 0) continue;
            *out = world_device(gpu, instance);
            return OK;
        }
    return NOT_FOUND;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, device_t *out) {
    ENTER();
    unsigned domain = 0, bus = 0, slot = 0;
    if (sscanf(address, "%x:%x:%x", &domain, &bus, &slot) != 3) return INVALID_ARGUMENT;
    const int gpu = (int)bus - 0x10;
    if (domain != 0 || slot != 0 || gpu < 0 || gpu >= world_gpus()) return NOT_FOUND;
    *out = world_device(gpu, -1);
    return OK;
}

int nvmlDeviceGetUUID(device_t device, char *out, unsigned size) {
    ENTER_DEVICE(device);
    uuid_of(device, out, size);
    return OK;
}

int nvmlDeviceGetName(device_t device, char *out, unsigned size) {
    ENTER_DEVICE(device);
    world_name(device->gpu, out, size);
    if (device->instance >= 0) strncat(out, " MIG 1g.10gb", size - strlen(out) - 1);
    return OK;
}

int nvmlDeviceGetPciInfo_v3(device_t device, struct pci_info *out) {
    ENTER_DEVICE(device);
    memset(out, 0, sizeof *out);
    out->bus = 0x10 + (unsigned)device->gpu;
    snprintf(out->bus_id, sizeof out->bus_id, "00000000:%02X:00.0", out->bus);
    return OK;
}

int nvmlDeviceGetCudaComputeCapability(device_t device, int *out_major, int *out_minor) {
    ENTER_DEVICE(device);
    *out_major = 9;
    *out_minor = 0;
    return OK;
}

/* Numbers that distinguish the GPUs. */
int nvmlDeviceGetMemoryInfo(device_t device, struct memory *out) {
    ENTER_DEVICE(device);
    out->total = device->instance < 0 ? 16u << 20 : 2u << 20;
    out->used = (uint64_t)(device->gpu + 2) << 10; /* including 1 KiB reserved */
    out->free = out->total - out->used;
    return OK;
}

int nvmlDeviceGetUtilizationRates(device_t device, struct utilization *out) {
    ENTER_DEVICE(device);
    if (device->instance >= 0 || world_instances(device->gpu) > 0) return NOT_SUPPORTED;
    out->gpu = 10u + (unsigned)device->gpu;
    out->memory = 20u + (unsigned)device->gpu;
    return OK;
}

int nvmlDeviceGetTemperature(device_t device, unsigned sensor, unsigned *out) {
    ENTER_DEVICE(device);
    if (device->instance >= 0 || sensor != 0) return INVALID_ARGUMENT;
    *out = 40u + (unsigned)device->gpu;
    return OK;
}

int nvmlDeviceGetPowerUsage(device_t device, unsigned *out) {
    ENTER_DEVICE(device);
    if (device->instance >= 0) return NOT_SUPPORTED;
    *out = 70000u + (unsigned)device->gpu;
    return OK;
}

int nvmlDeviceGetClockInfo(device_t device, unsigned type, unsigned *out) {
    ENTER_DEVICE(device);
    if (type != 1) return INVALID_ARGUMENT;
    *out = 1500u + (unsigned)device->gpu;
    return OK;
}

#ifndef FAKE_NVML_OLD
struct temperature {
    unsigned version, sensor;
    int celsius;
};
int nvmlDeviceGetTemperatureV(device_t device, struct temperature *out) {
    ENTER_DEVICE(device);
    if (out->version != (sizeof *out | 1u << 24)) return VERSION;
    if (device->instance >= 0 || out->sensor != 0) return INVALID_ARGUMENT;
    out->celsius = 40 + device->gpu;
    return OK;
}

struct memory_v2 {
    unsigned version;
    uint64_t total, reserved, free, used;
};
int nvmlDeviceGetMemoryInfo_v2(device_t device, struct memory_v2 *out) {
    ENTER_DEVICE(device);
    if (out->version != (sizeof *out | 2u << 24)) return VERSION;
    out->total = device->instance < 0 ? 16u << 20 : 2u << 20;
    out->reserved = 1u << 10;
    out->used = (uint64_t)(device->gpu + 1) << 10;
    out->free = out->total - out->reserved - out->used;
    return OK;
}

int nvmlDeviceGetMigMode(device_t device, unsigned *out_current, unsigned *out_pending) {
    ENTER_DEVICE(device);
    *out_current = *out_pending = world_instances(device->gpu) > 0;
    return OK;
}

int nvmlDeviceGetMaxMigDeviceCount(device_t device, unsigned *out) {
    ENTER_DEVICE(device);
    *out = MOST_INSTANCES;
    return OK;
}

int nvmlDeviceGetMigDeviceHandleByIndex(device_t device, unsigned index, device_t *out) {
    ENTER_DEVICE(device);
    if ((int)index >= world_instances(device->gpu)) return NOT_FOUND;
    *out = world_device(device->gpu, (int)index);
    return OK;
}

/* Different from the instance's index, so that mixing them up is detected. */
int nvmlDeviceGetGpuInstanceId(device_t device, unsigned *out) {
    ENTER_DEVICE(device);
    if (device->instance < 0) return NOT_SUPPORTED;
    *out = 7u + (unsigned)device->instance;
    return OK;
}

int nvmlDeviceGetComputeInstanceId(device_t device, unsigned *out) {
    ENTER_DEVICE(device);
    if (device->instance < 0) return NOT_SUPPORTED;
    *out = 0;
    return OK;
}
#endif
