// SPDX-License-Identifier: Apache-2.0
const calls = @import("calls.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const limit = @import("limit.zig");

/// A number that only grows: streams and threads signal it and wait for it, in any order. Streams do so by
/// stream.signal(timeline, value) and stream.waitFor(timeline, value).
pub const Timeline = struct {
    handle: raw.gs_timeline_t = null,

    pub const Options = struct {
        device: raw.gs_device_t = raw.GS_DEVICE_CURRENT,
        initial: u64 = 0,
        /// GS_TIMELINE_*
        flags: u32 = 0,
    };
    pub fn init(options: Options) Error!Timeline {
        return calls.owner(Timeline, raw.gs_timeline_create, .{ options.device, options.initial, options.flags });
    }
    pub fn deinit(self: Timeline) void {
        _ = raw.gs_timeline_destroy(self.handle); // a failure goes to the library's log
    }
    /// Another reference, with a deinit() of its own.
    pub fn retain(self: Timeline) Error!Timeline {
        try errors.check(raw.gs_timeline_retain(self.handle));
        return self;
    }
    /// Raises it from this thread.
    pub fn signal(self: Timeline, number: u64) Error!void {
        try errors.check(raw.gs_timeline_signal(self.handle, number));
    }
    pub fn value(self: Timeline) Error!u64 {
        return calls.number(u64, raw.gs_timeline_value, .{self.handle});
    }
    /// Blocks until the value is reached.
    pub fn synchronize(self: Timeline, number: u64) Error!void {
        try errors.check(raw.gs_timeline_synchronize(self.handle, number, -1));
    }
    /// At most for so many nanoseconds: error.Timeout.
    pub fn synchronizeFor(self: Timeline, number: u64, ns: u64) Error!void {
        try errors.check(raw.gs_timeline_synchronize(self.handle, number, limit.of(ns)));
    }
    /// Ends all waits with an error, error.Aborted for example; no signal follows.
    pub fn abort(self: Timeline, reason: Error) Error!void {
        try errors.check(raw.gs_timeline_abort(self.handle, errors.statusOf(reason)));
    }
};
