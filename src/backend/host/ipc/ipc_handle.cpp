// SPDX-License-Identifier: Apache-2.0
#include "backend/host/ipc/ipc_handle.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace gs::host {

uint64_t IpcHandle::compute_check() const noexcept {
    // FNV-1a.
    uint64_t hash = 0xcbf29ce484222325u;
    unsigned char bytes[offsetof(IpcHandle, check)];
    std::memcpy(bytes, this, sizeof bytes);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

bool IpcHandle::valid() const noexcept {
    return magic == kMagic && version == kVersion && reserved == 0 && check == compute_check();
}

void arena_name(const ProcessIdentity &exporter, uint64_t nonce, char (&out)[kArenaNameSize]) noexcept {
    std::snprintf(out, sizeof out, "%s%u-%u-%" PRIx64 "-%" PRIx64 "-%016" PRIx64, kArenaNamePrefix, exporter.uid,
                  exporter.pid, exporter.start_time, exporter.pid_namespace, nonce);
}

bool parse_arena_name(const char *name, ProcessIdentity *out_exporter) noexcept {
    ProcessIdentity exporter;
    uint64_t nonce = 0;
    int used = 0;
    if (std::strncmp(name, kArenaNamePrefix, sizeof kArenaNamePrefix - 1) != 0) return false;
    const char *fields = name + sizeof kArenaNamePrefix - 1;
    if (std::sscanf(fields, "%u-%u-%" SCNx64 "-%" SCNx64 "-%16" SCNx64 "%n", &exporter.uid, &exporter.pid,
                    &exporter.start_time, &exporter.pid_namespace, &nonce, &used) != 5)
        return false;
    if (fields[used] != '\0') return false;
    *out_exporter = exporter;
    return true;
}

} // namespace gs::host
