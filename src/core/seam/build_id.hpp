// SPDX-License-Identifier: Apache-2.0
// What the library and the tools must have in common: the headers that both were compiled with, and how. Made by the build
// (cmake/build_id.cmake).
#pragma once

namespace gs {

extern const char kBuildId[] __attribute__((visibility("hidden")));

} // namespace gs
