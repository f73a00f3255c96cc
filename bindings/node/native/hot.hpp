// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <node_api.h>

namespace gs_node {

// Adds hot, hotRecord, hotWait, hotQueryEvent and hotQueryStream.
void add_hot(napi_env env, napi_value exports);

} // namespace gs_node
