// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <node_api.h>

namespace gs_node {

napi_value on_report(napi_env env, napi_callback_info info);
napi_value take_reports(napi_env env, napi_callback_info info);

} // namespace gs_node
