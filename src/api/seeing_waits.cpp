// SPDX-License-Identifier: Apache-2.0
// Seeing and checking: what streams wait for.
#include <cerrno>

#include "api/with.hpp"
#include "core/hooks/tool_hooks.hpp"

using namespace gs::api;

extern "C" {

// Not by boundary(): the thread may be anywhere, inside the library too, and must get no block or error record.
gs_status_t gs_dump(int32_t fd) {
    if (fd < 0) return GS_ERROR_INVALID_ARGUMENT;
    const int kept = errno;
    const ToolHooks *hooks = loaded_tools();
    Status status = hooks ? kOk : need_tools(&hooks);
    if (status.ok()) status = hooks->write_dump(fd);
    errno = kept;
    return status.code;
}

gs_status_t gs_explain_wait(gs_stream_t stream, char *out_text, size_t capacity, size_t *out_bytes) {
    if (capacity != 0) zero(out_text);
    return with_stream<Rule::Getter>(__func__, stream, GS_OUT(out_bytes), [&](ThreadBlock &, StreamSlot &) -> Status {
        if (capacity != 0) GS_INPUT(out_text);
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        *out_bytes = hooks->explain_stream(handle_bits(stream), out_text, capacity);
        return kOk;
    });
}

gs_status_t gs_dump_log(const char *path, int32_t fd) {
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(path);
        if (fd < 0) return fail(GS_ERROR_INVALID_ARGUMENT, "fd is %d", fd);
        const ToolHooks *hooks = nullptr;
        GS_TRY(need_tools(&hooks));
        return hooks->write_log_file_dump(path, fd);
    });
}

} // extern "C"
