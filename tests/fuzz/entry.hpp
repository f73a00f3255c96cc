// SPDX-License-Identifier: Apache-2.0
// The functions that libFuzzer calls, which the replay calls as well.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gs::fuzz {

// Runs the harness and says what it noted, as one number.
uint64_t digest_of(const uint8_t *data, size_t size);

} // namespace gs::fuzz

extern "C" {
int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
}
