// SPDX-License-Identifier: Apache-2.0
// Texts that leave the library are UTF-8, also where they quote what a caller, a driver or the environment gave.
#pragma once

namespace gs {

// A byte that belongs to no character becomes '?', and an incomplete character at the end, which truncation leaves, goes.
// The text gets no longer.
void make_utf8(char *text) noexcept;

} // namespace gs
