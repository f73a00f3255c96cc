// SPDX-License-Identifier: Apache-2.0
// What a launch hands to its kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "front/call.hpp"

namespace gs::front {

// A word of an argument that may be an address, or a number. A struct may hold several, which are aligned there.
struct KernelWord {
    uint32_t argument, offset;
    uint64_t value;
};
// Of a launch, if the driver tells the sizes. May throw std::bad_alloc, as all here.
std::vector<KernelWord> words_of(const Call &launch);
std::string name_of_kernel(const Call &launch); // as the module has it; "": the driver does not tell

} // namespace gs::front
