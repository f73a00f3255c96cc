// SPDX-License-Identifier: Apache-2.0
// What kernels do with the memory that they get addresses of, learnt from other runs. The file has a line for each such word of each
// kernel, "w 0 8 _Z4fillPfi": what lies at the address that stands 8 bytes into argument 0 is written.
#pragma once

#include <string>

#include "front/kernel_words.hpp"

namespace gs::front {

// The last in this list of what was seen of a word stays. Memory that was written once may be written again, and other arguments may choose
// where it is written. OneOfSeveral: the memory changed, and other words held the same address.
enum class Use : char { NoAddress = '-', OneOfSeveral = 's', Read = 'r', WriteHere = 'w', WriteElsewhere = 'u' };

// Adds what the file has, if there is one. May throw std::bad_alloc, as all here.
void read_uses(const char *path);
// The same, and makes the file if there is none.
void begin_uses(const char *path);
// NoAddress: the kernel was seen, and other words of it held addresses. WriteElsewhere: also if the kernel is new.
Use use_of(const std::string &kernel, const KernelWord &word);
// Also in the file, if it is news.
void note_use(const std::string &kernel, const KernelWord &word, Use use, const char *path);

} // namespace gs::front
