/* SPDX-License-Identifier: Apache-2.0 */
/* The one function of PyTorch's header that the guide's extension calls. */
#include <stdint.h>
#ifdef __cplusplus
extern "C"
#endif
    int32_t
    aoti_torch_get_current_cuda_stream(int32_t device_index, void **ret_stream);
