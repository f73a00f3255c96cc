/* SPDX-License-Identifier: Apache-2.0
 * A program of C that leaves a stream, made by a function with a name as those of C++ have:
 *   gpustream_check_mangled LIBRARY alone|local|global
 * alone: the process has no C++ library; local: it loads one for itself; global: for all to see. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpustream.h"

typedef gs_status_t (*create_t)(gs_device_t, int32_t, uint32_t, gs_stream_t *);

gs_status_t creator(create_t create, gs_stream_t *out) __asm__("_ZN5space7creatorEi");
__attribute__((noinline)) gs_status_t creator(create_t create, gs_stream_t *out) {
    const gs_status_t status = create(0, 0, 0, out);
    return *out ? status : GS_ERROR_INTERNAL; /* not a tail call, which would leave no frame */
}

static int load_cpp(const char *way) {
    const int global = strcmp(way, "global") == 0;
    if (!global && strcmp(way, "local") != 0) return 1;
    return dlopen("libstdc++.so.6", RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL)) != NULL;
}

int main(int argc, char **argv) {
    gs_stream_t stream = NULL;
    void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    create_t create = NULL;
    if (library) *(void **)&create = dlsym(library, "gs_stream_create");
    if (!create || !load_cpp(argv[2]) || creator(create, &stream) != GS_OK) {
        fprintf(stderr, "mangled: failed: %s\n", dlerror());
        return 1;
    }
    return 0;
}
