// SPDX-License-Identifier: Apache-2.0
// What the library promises of texts: NUL-terminated UTF-8, without control bytes but for newlines and tabs.
#pragma once

#include <cstddef>
#include <string>

namespace gs::fuzz {

// Bytes as a message can show them.
std::string printable(const std::string &text);

bool is_text(const std::string &text);

// The calling thread's error record after a call that returned `status`: the same status, and texts that are texts.
void check_error_record(const char *function, int status);

} // namespace gs::fuzz
