/* SPDX-License-Identifier: Apache-2.0 */
/* A native function that languages pass as a callback, and the sum of what it saw. */
#include <stdint.h>

__attribute__((visibility("default"))) int64_t made_sum_seen;

__attribute__((visibility("default"))) int32_t made_seen(void *arg, int64_t value) {
    (void)arg;
    made_sum_seen += value;
    return 0;
}
