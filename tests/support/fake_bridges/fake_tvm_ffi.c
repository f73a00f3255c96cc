/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of Apache TVM FFI that the bridge "tvm_ffi" uses: a stream per thread, device type and number. OLD: the
 * reader is missing. */
#include <stddef.h>
#include <stdint.h>

#define SHARED __attribute__((visibility("default")))
enum { kTypes = 16, kDevices = 8 };

static __thread void *streams[kTypes][kDevices];

SHARED int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, void *stream, void **opt_out_original_stream);
int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id, void *stream, void **opt_out_original_stream) {
    if (device_type < 0 || device_type >= kTypes || device_id < 0 || device_id >= kDevices) return -1;
    if (opt_out_original_stream) *opt_out_original_stream = streams[device_type][device_id];
    streams[device_type][device_id] = stream;
    return 0;
}

#if !OLD
SHARED void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id) {
    if (device_type < 0 || device_type >= kTypes || device_id < 0 || device_id >= kDevices) return NULL;
    return streams[device_type][device_id];
}
#endif
