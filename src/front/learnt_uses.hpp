// SPDX-License-Identifier: Apache-2.0
// What kernels do with the memory that they get addresses of, learnt from other runs. The file has a line for each such word of each
// kernel, "w 0 8 _Z4fillPfi": what lies at the address that stands 8 bytes into argument 0 is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "front/call.hpp"

namespace gs::front {

// What a launch hands to its kernel.

// A word of an argument that may be an address, or a number. A struct may hold several, which are aligned there.
struct KernelWord {
    uint32_t argument, offset;
    uint64_t value;
};
// Of a launch, if the driver tells the sizes. May throw std::bad_alloc, as all here.
std::vector<KernelWord> words_of(const Call &launch);
std::string name_of_kernel(const Call &launch); // as the module has it; "": the driver does not tell

// The last in this list of what was seen of a word stays. Memory that was written once may be written again, and other arguments may choose
// where it is written. OneOfSeveral: the memory was written at the address, which other words held, too. NoAddress: the word held a number, or an
// address of the host. It is a number, or padding, where the stack may have had addresses of the device at other times.
enum class Use : char { OneOfSeveral = 's', Read = 'r', WriteHere = 'w', WriteElsewhere = 'u', NoAddress = '-' };

// Adds what the file has, if there is one. May throw std::bad_alloc, as all here.
void read_uses(const char *path);
// The same, and makes the file if there is none.
void begin_uses(const char *path);
// NoAddress: also if the kernel was seen, and other words of it alone. WriteElsewhere: also if the kernel is new.
Use use_of(const std::string &kernel, const KernelWord &word);
// Also in the file, if it is news.
void note_use(const std::string &kernel, const KernelWord &word, Use use, const char *path);

} // namespace gs::front
