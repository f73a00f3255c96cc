// SPDX-License-Identifier: Apache-2.0
// The only way in which the library opens files for writing, and files whose paths come from outside for reading. Other users
// may be able to write the folder that a path leads to, and have put something there.
#pragma once

namespace gs {

// Opens a file of this user for writing; one that is made has mode 0600. flags: of open(), without those that this adds. -1 with
// errno: *out_problem says why, too. That is EACCES for what is no regular file, and for a file that another user owns, that
// other users may write, or that has another name too. Symbolic links are not followed. So no other user can truncate a file
// that was opened here, which may be mapped. The descriptor is above 2.
int open_own_file(const char *path, int flags, const char **out_problem) noexcept;

// Opens a regular file for reading. -1 with errno, which is EINVAL for one of another kind. Never waits, as for a pipe's writer.
int open_to_read(const char *path) noexcept;

} // namespace gs
