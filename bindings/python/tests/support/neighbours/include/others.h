/* SPDX-License-Identifier: Apache-2.0 */
/* The declarations of CUDA, cuBLAS, NCCL and Arrow that the guide's snippets use. The functions check the stream. */
#include <stddef.h>
#include <stdint.h>

typedef void *cudaStream_t;

typedef enum { CUBLAS_STATUS_SUCCESS = 0, CUBLAS_STATUS_NOT_INITIALIZED = 1 } cublasStatus_t;
typedef struct {
    cudaStream_t stream;
} *cublasHandle_t;
static inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    handle->stream = stream;
    return CUBLAS_STATUS_SUCCESS;
}

typedef enum { ncclSuccess = 0, ncclInvalidArgument = 4 } ncclResult_t;
typedef enum { ncclFloat = 7 } ncclDataType_t;
typedef enum { ncclSum = 0 } ncclRedOp_t;
typedef struct {
    cudaStream_t stream;
} *ncclComm_t;
static inline ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                                         ncclComm_t comm, cudaStream_t stream) {
    if (!from || !to || !count || type != ncclFloat || op != ncclSum) return ncclInvalidArgument;
    comm->stream = stream;
    return ncclSuccess;
}

struct ArrowArray {
    void *private_data;
};
struct ArrowDeviceArray {
    struct ArrowArray array;
    int64_t device_id;
    int32_t device_type;
    void *sync_event;
    int64_t reserved[3];
};
