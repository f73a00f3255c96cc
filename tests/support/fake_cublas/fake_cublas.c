/* SPDX-License-Identifier: Apache-2.0 */
/* As much of cuBLAS as makes and binds handles. FAKE_CUBLAS_CREATE: what making one gives. */
#include <pthread.h>
#include <stdlib.h>

struct handle {
    void *stream;
};

int cublasCreate_v2(void **out);
int cublasSetStream_v2(void *handle, void *stream);
void *fake_cublas_stream(void *handle);

int cublasCreate_v2(void **out) {
    const char *code = getenv("FAKE_CUBLAS_CREATE");
    if (code) return atoi(code);
    struct handle *made = calloc(1, sizeof *made);
    *out = made;
    return made ? 0 : 3;
}

int cublasSetStream_v2(void *handle, void *stream) {
    ((struct handle *)handle)->stream = stream;
    return 0;
}

void *fake_cublas_stream(void *handle) { return ((struct handle *)handle)->stream; }
