// SPDX-License-Identifier: Apache-2.0
#include "base/env.hpp"

#include <sys/auxv.h>

#include <cerrno>
#include <cstdlib>

#include "base/log.hpp"

namespace gs {

const char *env_text(const char *name) noexcept { return std::getenv(name); }

const char *env_trusted(const char *name) noexcept { return getauxval(AT_SECURE) != 0 ? nullptr : std::getenv(name); }

int64_t env_number(const char *name, int64_t fallback, int64_t least, int64_t greatest) noexcept {
    const char *text = std::getenv(name);
    if (!text || *text == '\0') return fallback;
    char *end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text, &end, 10);
    if (errno == 0 && *end == '\0' && value >= least && value <= greatest) return value;
    log_message(GS_LOG_WARNING, "%s='%s' is not a number from %lld to %lld; using %lld", name, text,
                static_cast<long long>(least), static_cast<long long>(greatest), static_cast<long long>(fallback));
    return fallback;
}

} // namespace gs
