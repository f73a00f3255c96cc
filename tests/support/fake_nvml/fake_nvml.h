/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Controls of the fake NVML: a libnvidia-ml.so.1 for tests, which GPUSTREAM_LIBNVML names. Tests find these functions by
 * dlsym in it. They may be called from any thread and count as no call.
 *
 * The GPUs are those of the fake CUDA driver: GPU g has its UUID and its bus address. Read from the environment at each
 * call:
 *   FAKE_NVML_GPUS     number of GPUs (2)
 *   FAKE_NVML_ORDER    NVML's order of them, for instance 1,0 (0,1,...)
 *   FAKE_NVML_NAMES    their names, separated by commas; the last one serves for the rest (Fake GPU)
 *   FAKE_NVML_MIG      instances of each GPU, for instance 0,3: the second is divided into three (none)
 *   FAKE_NVML_FAIL     function=code[,function=code...]: the results of these functions
 *   FAKE_NVML_CLOSED   GPUs that cannot be opened: nvmlDeviceGetHandleByIndex_v2 returns 4 for them
 *   FAKE_NVML_LOST     GPUs that have fallen off the bus: queries of their handles return 15
 */
#ifndef GPUSTREAM_FAKE_NVML_H
#define GPUSTREAM_FAKE_NVML_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls since the last reset. */
uint64_t fake_nvml_calls(void);
/* How often NVML is initialised at this moment: inits less shutdowns. */
int32_t fake_nvml_users(void);
/* The nth call from now on, counted from 1, returns the code; 0: none does. Also resets the counts. */
void fake_nvml_inject(uint64_t nth, int32_t code);
/* The function whose call was made to fail like that; "" while none was. */
const char *fake_nvml_injected(void);
/* While held, every call waits inside the library until it is released. Returns how many wait. */
void fake_nvml_hold(int32_t hold);
int32_t fake_nvml_waiting(void);

#ifdef __cplusplus
}
#endif
#endif
