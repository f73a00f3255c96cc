// SPDX-License-Identifier: Apache-2.0
#include "front/run_settings.hpp"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "base/env.hpp"
#include "base/log.hpp"

namespace gs::front {

Settings g_settings;

namespace {

struct TextPart {
    const char *name; // with its '='
    char (&value)[PATH_MAX];
};
struct FlagPart {
    const char *name;
    uint32_t flag;
};
constexpr FlagPart kFlags[] = {{"stats", kStats},
                               {"syncs", kSyncs},
                               {"leaks", kLeaks},
                               {"log", kLog},
                               {"captures", kCaptures},
                               {"trace", kTrace},
                               {"check", kCheck},
                               {"check-kernels", kCheckKernels},
                               {"device-times", kDeviceTimes}};

bool read_part(const char *part, size_t bytes) noexcept {
    for (const TextPart &text : {TextPart{"driver=", g_settings.driver}, TextPart{"folder=", g_settings.folder},
                                 TextPart{"file=", g_settings.log}, TextPart{"delays=", g_settings.delays},
                                 TextPart{"learn=", g_settings.learn}, TextPart{"learnt=", g_settings.learnt}}) {
        const size_t name = std::strlen(text.name);
        if (std::strncmp(part, text.name, name) != 0) continue;
        if (bytes - name >= sizeof text.value) return false;
        std::memcpy(text.value, part + name, bytes - name);
        if (&text.value == &g_settings.delays) g_settings.watch |= kDelays;
        if (&text.value == &g_settings.learn) g_settings.watch |= kLearn;
        return true;
    }
    if (std::strncmp(part, "entries=", 8) == 0) {
        g_settings.entries = std::strtoull(part + 8, nullptr, 10);
        return true;
    }
    // Of the simulated driver, which reads them itself.
    if (std::strncmp(part, "kernel", 6) == 0 || std::strncmp(part, "simulated", 9) == 0) return true;
    for (const FlagPart &flag : kFlags)
        if (std::strlen(flag.name) == bytes && std::strncmp(part, flag.name, bytes) == 0) {
            g_settings.watch |= flag.flag;
            return true;
        }
    return false;
}

} // namespace

bool read_settings() noexcept {
    const char *text = env_text(Variable::Run);
    if (!text) return false;
    while (*text != '\0') {
        const size_t bytes = std::strcspn(text, ";");
        if (bytes != 0 && !read_part(text, bytes)) {
            log_message(GS_LOG_ERROR, "%s is not of this version of gpustream: '%s'", name_of(Variable::Run), text);
            return false;
        }
        text += bytes + (text[bytes] == ';' ? 1 : 0);
    }
    return g_settings.driver[0] != '\0';
}

} // namespace gs::front
