// SPDX-License-Identifier: Apache-2.0
// In builds with gcov, part of the shared library: a test program that ends by _exit() can write its counters (exit.c).
void __gcov_dump(void);
void gpustream_coverage_register(void (*dump)(void)) __attribute__((weak));

__attribute__((constructor)) static void announce(void) {
    if (gpustream_coverage_register) gpustream_coverage_register(__gcov_dump);
}
