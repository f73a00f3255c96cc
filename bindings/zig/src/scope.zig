// SPDX-License-Identifier: Apache-2.0
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const Stream = @import("stream.zig").Stream;

/// A stream and its device current on this thread, from enter() to leave().
pub const Scope = struct {
    number: u64,

    pub fn enter(stream: Stream) errors.Error!Scope {
        var self: Scope = .{ .number = 0 };
        try errors.check(raw.gs_push_current_stream(stream.handle, &self.number));
        return self;
    }
    /// error.Scope if it is not this thread's innermost: it is still open then.
    pub fn leave(self: Scope) errors.Error!void {
        // 0 would be any innermost one.
        if (self.number == 0) return errors.refused(raw.GS_ERROR_SCOPE);
        try errors.check(raw.gs_pop_current_stream(self.number));
    }
    /// For `defer`: ends it, and what was left open inside it.
    pub fn deinit(self: Scope) void {
        _ = raw.gs_unwind_current_stream(self.number);
    }
};
