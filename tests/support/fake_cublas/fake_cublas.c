/* SPDX-License-Identifier: Apache-2.0 */
/* The part of cuBLAS that creates and binds handles. Each allocates device memory, like the real one, and keeps it.
   FAKE_CUBLAS_CREATE: what making one gives. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

struct handle {
    void *stream;
    unsigned long long workspace;
};

int cublasCreate_v2(void **out);
int cublasSetStream_v2(void *handle, void *stream);
void *fake_cublas_stream(void *handle);
int fake_cublas_handles(void); /* made so far */

static atomic_int handles;

/* Of the driver that the process has loaded; without one no handle can be requested. */
static int allocate(unsigned long long *out) {
    const char *chosen = getenv("GPUSTREAM_LIBCUDA");
    void *driver = dlopen(chosen ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    int (*cuMemAlloc)(unsigned long long *, size_t) = NULL;
    if (driver) *(void **)&cuMemAlloc = dlsym(driver, "cuMemAlloc_v2");
    return cuMemAlloc ? cuMemAlloc(out, 256) : 1;
}

int cublasCreate_v2(void **out) {
    const char *code = getenv("FAKE_CUBLAS_CREATE");
    if (code) return atoi(code);
    struct handle *made = calloc(1, sizeof *made);
    if (!made) return 3; /* CUBLAS_STATUS_ALLOC_FAILED */
    if (allocate(&made->workspace) != 0) {
        free(made);
        return 3;
    }
    *out = made;
    ++handles;
    return 0;
}

int cublasSetStream_v2(void *handle, void *stream) {
    ((struct handle *)handle)->stream = stream;
    return 0;
}

void *fake_cublas_stream(void *handle) { return ((struct handle *)handle)->stream; }
int fake_cublas_handles(void) { return handles; }
