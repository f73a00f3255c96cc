// SPDX-License-Identifier: Apache-2.0
//! Calls with an output, which is their last parameter.
const std = @import("std");
const errors = @import("errors.zig");
const library = @import("library.zig");
const Error = errors.Error;

/// The number that a call writes.
pub fn number(comptime T: type, comptime call: anytype, arguments: anytype) Error!T {
    var out: T = 0;
    try errors.check(@call(.auto, call, arguments ++ .{&out}));
    return out;
}

/// The struct that a call fills.
pub fn filled(comptime T: type, comptime call: anytype, arguments: anytype) Error!T {
    var out = std.mem.zeroes(T);
    out.struct_size = @sizeOf(T);
    try errors.check(@call(.auto, call, arguments ++ .{&out}));
    return out;
}

/// The owner of the handle that a call writes.
pub fn owner(comptime T: type, comptime call: anytype, arguments: anytype) Error!T {
    try library.check();
    var out: T = .{};
    try errors.check(@call(.auto, call, arguments ++ .{&out.handle}));
    return out;
}
