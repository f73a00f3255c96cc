// SPDX-License-Identifier: Apache-2.0
// A text that a call gives to its thread: kept until the thread's next such call.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs::api {

// The elements separated by commas.
inline Status give_list(ThreadBlock &thread, const std::vector<std::string> &elements, const char **out) noexcept {
    size_t bytes = 1;
    for (const std::string &element : elements) bytes += element.size() + 1;
    auto *text = static_cast<char *>(std::realloc(thread.text, bytes));
    if (!text) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a list of %zu bytes", bytes);
    thread.text = text;
    size_t used = 0;
    for (const std::string &element : elements) {
        if (used > 0) text[used++] = ',';
        std::memcpy(text + used, element.data(), element.size());
        used += element.size();
    }
    text[used] = '\0';
    *out = text;
    return kOk;
}

} // namespace gs::api
