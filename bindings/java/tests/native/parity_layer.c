/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lets the parity runner in C (tests/parity) make its calls through Java. It looks layer_gs_... up by dlsym, which the
 * linker replaces by the function below (--wrap=dlsym), and calls what it found on the same thread.
 */
#define EXPORTED __attribute__((visibility("default")))
#include <stdint.h>
#include <string.h>

static const char kLayer[] = "layer_gs_";

/* Java's: calls a function of the header, by its name and with its arguments. */
EXPORTED uint64_t (*gpustream_parity_java)(const char *function, const uint64_t *arguments);

static _Thread_local char called[64];

/* As many arguments as a call through FFM can have, all integers or addresses. Java looks at as many as the function has. */
static uint64_t call_java(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g) {
    const uint64_t arguments[] = {a, b, c, d, e, f, g};
    return gpustream_parity_java(called, arguments);
}

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

void *__wrap_dlsym(void *library, const char *name) {
    const char *function = strncmp(name, kLayer, sizeof kLayer - 1) == 0 ? name + strlen("layer_") : NULL;
    if (!function || strlen(function) >= sizeof called) return __real_dlsym(library, name);
    strcpy(called, function);
    return (void *)(uintptr_t)call_java;
}
