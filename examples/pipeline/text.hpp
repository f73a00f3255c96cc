// SPDX-License-Identifier: Apache-2.0
// Text: printf into a string, and escapes for XML and JSON.
#pragma once

#include <string>
#include <string_view>

namespace pipeline {

std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));

// Both results are valid UTF-8 for any input: a file name may contain any bytes.
std::string xml_escape(std::string_view text);
std::string json_escape(std::string_view text);

// Creates or replaces the file; throws Failure(Exit::kFile).
void write_file(const std::string &path, std::string_view content);

} // namespace pipeline
