// SPDX-License-Identifier: Apache-2.0
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const text = @import("text.zig");

/// A part of a program by name, which traces, the log and tools of NVTX show: of this thread, from enter() to deinit().
/// They nest.
pub const Range = struct {
    pub fn enter(name: [:0]const u8) errors.Error!Range {
        try library.check();
        try errors.check(raw.gs_range_push(try text.forC(name)));
        return .{};
    }
    /// For `defer`, on the same thread.
    pub fn deinit(_: Range) void {
        _ = raw.gs_range_pop(); // a failure goes to the library's log
    }
};

/// A moment of this thread.
pub fn mark(message: [:0]const u8) errors.Error!void {
    try library.check();
    try errors.check(raw.gs_mark(try text.forC(message)));
}
