// SPDX-License-Identifier: Apache-2.0
#include "nccl_calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int nccl_load(nccl_t *nccl) {
    static const char *const kNames[] = {"ncclGetVersion",  "ncclGetUniqueId", "ncclCommInitRank",
                                         "ncclCommInitAll", "ncclCommDestroy", "ncclCommAbort",
                                         "ncclGroupStart",  "ncclGroupEnd",    "ncclAllReduce"};
    const char *path = getenv("NCCL_LIBRARY");
    void *library = dlopen(path && *path ? path : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        printf("no NCCL: %s\n", dlerror());
        return 0;
    }
    for (size_t i = 0; i < sizeof kNames / sizeof *kNames; ++i) {
        void *function = dlsym(library, kNames[i]);
        if (!function) {
            printf("no NCCL: %s\n", dlerror());
            return 0;
        }
        memcpy((char *)nccl + i * sizeof function, &function, sizeof function); // C has no cast to a function pointer
    }
    return 1;
}
