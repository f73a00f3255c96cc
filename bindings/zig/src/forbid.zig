// SPDX-License-Identifier: Apache-2.0
const errors = @import("errors.zig");
const raw = @import("raw.zig");

/// From enter() to deinit(), calls of this thread that would wait for device work are error.SyncForbidden and wait for
/// nothing. They nest.
pub const ForbidSync = struct {
    before: i32,

    pub fn enter() errors.Error!ForbidSync {
        var self: ForbidSync = .{ .before = 0 };
        try errors.check(raw.gs_forbid_sync(1, &self.before));
        return self;
    }
    /// For `defer`, on the same thread.
    pub fn deinit(self: ForbidSync) void {
        var ended: i32 = 0;
        _ = raw.gs_forbid_sync(self.before, &ended); // fails for no argument given here
    }
};
