/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs that the environment describes, and the checks on entry to each call. */
#ifndef GPUSTREAM_FAKE_NVML_WORLD_H
#define GPUSTREAM_FAKE_NVML_WORLD_H

#include <stddef.h>

enum { MOST_GPUS = 16, MOST_INSTANCES = 7 };

/* Handles: the address of one of these. instance -1: the GPU itself. */
struct fake_device {
    int gpu, instance;
};

int world_gpus(void);
int world_gpu_at(int index); /* which GPU NVML lists there */
int world_instances(int gpu);
void world_name(int gpu, char *out, size_t size);
int world_listed(const char *variable, int gpu); /* is the GPU in that list of numbers? */
struct fake_device *world_device(int gpu, int instance);

/* 0, or the result that the call must return. */
int world_enter(const char *function);

#endif
