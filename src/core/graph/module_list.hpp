// SPDX-License-Identifier: Apache-2.0
// Modules that stay loaded as long as a graph and its executables.
#pragma once

#include "core/graph/held_list.hpp"
#include "core/work/loaded_module.hpp"

namespace gs {

using ModuleList = HeldList<LoadedModule>;

} // namespace gs
