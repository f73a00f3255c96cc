/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the simulated driver does not implement: exported for libraries that resolve all symbols at once. */
int simulated_unsupported(void);

__attribute__((visibility("hidden"))) int simulated_unsupported(void) { return 801; }

#define SIMULATED_UNSUPPORTED(symbol)                                                                                       \
    __attribute__((weak, visibility("default"))) int symbol(void);                                                     \
    __attribute__((weak, visibility("default"))) int symbol(void) { return simulated_unsupported(); }
#include "simulated/unsupported.inc"
