// SPDX-License-Identifier: Apache-2.0
#include "core/hooks/tool_hooks.hpp"

namespace gs::tools {

#define GS_HOOK(part, result, name, parameters, arguments)                                                             \
    result name parameters noexcept {                                                                                  \
        const ToolHooks *hooks = asked_tools();                                                                        \
        return hooks ? hooks->name arguments : result();                                                               \
    }
#include "core/hooks/tool_hooks.inc"
#undef GS_HOOK

} // namespace gs::tools
