// SPDX-License-Identifier: Apache-2.0
// Removes the files that dead processes of this user left behind, in small steps.
#pragma once

#include <dirent.h>

#include "base/shared_file.hpp"

namespace gs {

class SharedSweep {
public:
    // Begins at the start of the directory; a sweep that is under way ends.
    void begin(const char *directory) noexcept;
    // Looks at some entries. False when the end was reached.
    bool step() noexcept;
    // Ends the sweep before the end of the directory.
    void end() noexcept;

private:
    DIR *entries_ = nullptr;
};

// The first call of the process removes some of them; the next process removes more.
void sweep_shared_once(const char *directory) noexcept;
// create_shared_file(). Where the folder is full, files of dead processes are removed first.
Status create_shared_file_swept(const SharedFile &file, void **out_memory) noexcept;

} // namespace gs
