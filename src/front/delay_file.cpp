// SPDX-License-Identifier: Apache-2.0
#include "front/delay_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/log.hpp"
#include "base/own_file.hpp"
#include "base/text.hpp"
#include "front/run_settings.hpp"

namespace gs::front {
namespace {

int g_delay_fd = -1; // set when the library is loaded

} // namespace

uint64_t open_delay_file() noexcept {
    constexpr uint64_t kMostProcesses = 4096;
    char path[PATH_MAX + 32];
    const char *problem = nullptr;
    for (uint64_t number = 1; number <= kMostProcesses; ++number) {
        std::snprintf(path, sizeof path, "%s/%llu.delays", g_settings.folder, static_cast<unsigned long long>(number));
        g_delay_fd = open_own_file(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, &problem);
        if (g_delay_fd >= 0) {
            tell("process %s", program_invocation_short_name);
            return number;
        }
        if (errno != EEXIST) break;
    }
    log_message(GS_LOG_ERROR, "'%s' cannot be written: %s", path, problem);
    return 0;
}

void tell(const char *format, ...) noexcept {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text, sizeof text - 1, format, arguments);
    va_end(arguments);
    const size_t bytes = std::min(static_cast<size_t>(length < 0 ? 0 : length), sizeof text - 2);
    text[bytes] = '\0';
    make_printable(text, Lines::One);
    text[std::strlen(text)] = '\n';
    [[maybe_unused]] const ssize_t written =
        ::write(g_delay_fd, text, bytes + 1); // a full disk ends the run's report, not the program
}

} // namespace gs::front
