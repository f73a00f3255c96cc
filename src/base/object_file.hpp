// SPDX-License-Identifier: Apache-2.0
// The system's loader trusts a shared object: it blocks on a FIFO, and a truncated file causes SIGBUS. Files are
// therefore checked first, and a bad file is distinguished from a lack of resources. This is no defence against
// malicious objects, or objects that change between the check and the load.
#pragma once

#include <cstddef>

#include "base/status.hpp"

namespace gs {

// INVALID_ARGUMENT where the bytes are a cut-off shared object. OK for what is none: the loader says why it refuses it.
Status check_object_in_memory(const void *image, size_t bytes) noexcept;
// The same for a file, and for what is no regular file. OK for what cannot be opened under this name: the loader
// searches its folders, and gives the reason.
Status check_object_file(const char *path) noexcept;
// False for what is no regular file. Nothing is opened.
bool may_be_object_file(const char *path) noexcept;
// To be called after the loader refused the file: SYSTEM where the process has no free file descriptor, OUT_OF_MEMORY
// where its address space has no room for the object; OK where neither explains the refusal.
Status check_resources_for(const char *path) noexcept;

} // namespace gs
