/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the fake driver does not implement: exported for libraries that resolve all symbols at once. */
int fake_unsupported(void);

__attribute__((visibility("hidden"))) int fake_unsupported(void) { return 801; }

#define FAKE_UNSUPPORTED(symbol)                                                                                       \
    __attribute__((weak, visibility("default"))) int symbol(void);                                                     \
    __attribute__((weak, visibility("default"))) int symbol(void) { return fake_unsupported(); }
#include "unsupported.inc"
