// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const errors = @import("errors.zig");
const raw = @import("raw.zig");

/// A text as C takes it. One with a NUL inside is refused: C would read it up to that.
pub fn forC(text: ?[:0]const u8) errors.Error![*c]const u8 {
    const given = text orelse return null;
    if (std.mem.indexOfScalar(u8, given, 0) != null) return errors.refused(raw.GS_ERROR_INVALID_ARGUMENT);
    return given.ptr;
}
