/* SPDX-License-Identifier: Apache-2.0 */
/* What the fake does not implement: exported, so that a library which resolves everything at once is content. */
int fake_unsupported(void);

__attribute__((visibility("hidden"))) int fake_unsupported(void) { return 801; }

#define FAKE_UNSUPPORTED(symbol)                                                                                       \
    __attribute__((weak, visibility("default"))) int symbol(void);                                                     \
    __attribute__((weak, visibility("default"))) int symbol(void) { return fake_unsupported(); }
#include "unsupported.inc"
