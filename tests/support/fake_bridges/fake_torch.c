/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of PyTorch's libtorch_cuda.so that the bridge "torch" uses: a stream per thread and device. AGE says
 * which of them there are: 0 none, 1 as before 2.10, 2 as since. The fake_ functions are for tests. */
#include <stdint.h>

#define SHARED __attribute__((visibility("default")))
enum { kDevices = 8 };

static __thread void *streams[kDevices];
static int32_t failure;

SHARED void fake_torch_fail(int32_t code);
void fake_torch_fail(int32_t code) { failure = code; }
SHARED void fake_torch_use(int32_t device, void *stream);
void fake_torch_use(int32_t device, void *stream) { streams[device] = stream; }
SHARED void *fake_torch_stream(int32_t device);
void *fake_torch_stream(int32_t device) { return streams[device]; }

#if AGE >= 1
SHARED int32_t aoti_torch_get_current_cuda_stream(int32_t device_index, void **ret_stream);
int32_t aoti_torch_get_current_cuda_stream(int32_t device_index, void **ret_stream) {
    if (failure != 0 || device_index < 0 || device_index >= kDevices) return failure ? failure : 1;
    *ret_stream = streams[device_index];
    return 0;
}
#endif

#if AGE >= 2
SHARED int32_t torch_set_current_cuda_stream(void *stream, int32_t device_index);
int32_t torch_set_current_cuda_stream(void *stream, int32_t device_index) {
    if (failure != 0 || device_index < 0 || device_index >= kDevices) return failure ? failure : 1;
    streams[device_index] = stream;
    return 0;
}
#endif
