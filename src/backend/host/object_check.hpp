// SPDX-License-Identifier: Apache-2.0
// The system's loader maps a shared object without looking whether the file is complete; touching what is missing is
// SIGBUS. So a cut-off object is found out before. It is no defence against objects made to do harm.
#pragma once

#include <cstddef>

#include "base/status.hpp"

namespace gs::host {

Status check_object_in_memory(const void *image, size_t bytes) noexcept;
// OK also for what cannot be opened under this name: the loader, which searches, gives the reason.
Status check_object_file(const char *path) noexcept;

} // namespace gs::host
