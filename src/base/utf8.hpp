// SPDX-License-Identifier: Apache-2.0
// Texts that leave the library are UTF-8, also where they quote what a caller, a driver or the environment gave.
#pragma once

namespace gs {

// A byte that belongs to no character becomes '?'. An incomplete character at the end, as truncation leaves it, is
// removed. The text never grows.
void make_utf8(char *text) noexcept;

} // namespace gs
