// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const raw = @import("raw.zig");

/// Ends a reference, or memory. A failure goes to the library's log. A host function may not end anything: a thread of its own
/// does.
pub fn end(comptime destroy: anytype, handle: anytype) void {
    const late = struct {
        fn run(given: @TypeOf(handle)) void {
            _ = destroy(given);
        }
    };
    if (destroy(handle) == raw.GS_ERROR_NOT_PERMITTED) elsewhere(late.run, handle);
}
/// Without a thread it is left.
pub fn elsewhere(comptime function: anytype, argument: anytype) void {
    @branchHint(.cold);
    const thread = std.Thread.spawn(.{}, function, .{argument}) catch return;
    thread.detach();
}
