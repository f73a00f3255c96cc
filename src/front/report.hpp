// SPDX-License-Identifier: Apache-2.0
// Texts for the user, on stderr.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gs::front {

// "gpustream: process 4711 (python3): WHAT\n"
std::string report_head(const char *what);
void write_report(std::string_view text) noexcept;
bool is_front(uintptr_t address) noexcept; // code of this library
// The callers of this library's functions, one text: "launch+0x12 (libx.so+0x34), from ...", and the line of Python that the thread
// is in, if there is one, ahead of them. May throw std::bad_alloc.
std::string callers_text();

} // namespace gs::front
