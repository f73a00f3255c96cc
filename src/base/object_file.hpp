// SPDX-License-Identifier: Apache-2.0
// The system's loader trusts a shared object: it blocks on a FIFO, and a truncated file causes SIGBUS. Files are
// therefore checked first, and a bad file is distinguished from a lack of resources. This is no defence against
// malicious objects, or objects that change between the check and the load.
#pragma once

#include <cstddef>

#include "base/status.hpp"

namespace gs {

// INVALID_ARGUMENT where the bytes are a cut-off shared object. OK for bytes of another kind: the loader says why it
// refuses them.
Status check_object_in_memory(const void *image, size_t bytes) noexcept;
// The same for a file. INVALID_ARGUMENT also for a directory, a FIFO or a device. OK where no file of this name can
// be opened: the loader searches its folders, and says why it fails.
Status check_object_file(const char *path) noexcept;
// False for directories, FIFOs and devices. The file is not opened.
bool may_be_object_file(const char *path) noexcept;
// Called after the loader refused the file. SYSTEM where file descriptors are used up, OUT_OF_MEMORY where the address
// space has no room for the object, OK where another cause explains the refusal.
Status check_resources_for(const char *path) noexcept;

} // namespace gs
