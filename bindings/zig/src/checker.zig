// SPDX-License-Identifier: Apache-2.0
//! The ordering checker: docs/guide/debugging.md. As in the other files, each function is the C function that it calls.
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const addressOf = @import("address.zig").addressOf;
const text = @import("text.zig");
const Stream = @import("stream.zig").Stream;

/// Turns it on, for the whole process; flags are GS_CHECK_*.
pub fn start(flags: u32) Error!void {
    try errors.check(raw.gs_check_start(flags));
}
/// Turns it off; it forgets what it knows. A failure goes to the library's log, so that it can be deferred.
pub fn stop() void {
    _ = raw.gs_check_stop();
}

/// The work submitted to the stream here reads these bytes. Call it beside the launch. `place` is what Stream.copy() takes.
pub fn read(stream: Stream, place: anytype, bytes: usize, label: ?[:0]const u8) Error!void {
    try errors.check(raw.gs_check_read(stream.handle, addressOf(place), bytes, try text.forC(label)));
}
/// It writes them, and possibly reads them.
pub fn write(stream: Stream, place: anytype, bytes: usize, label: ?[:0]const u8) Error!void {
    try errors.check(raw.gs_check_write(stream.handle, addressOf(place), bytes, try text.forC(label)));
}
/// What threads that share a lock tell each other about completed work. It is guarded by that lock, or stands beside the
/// atomic variable.
pub const Clock = struct {
    number: u64 = 0,

    /// The caller knows what earlier callers knew, and leaves what it knows.
    pub fn handover(self: *Clock) Error!void {
        try errors.check(raw.gs_check_handover(&self.number));
    }
};

/// Calls function(context, text, json) for each report, on the thread whose access completed the race, inside its call; it
/// may make only calls that are allowed in a host function. `context` must live until another function is set, and as long
/// as a thread may be in this one.
pub fn setCallback(
    context: anytype,
    comptime function: fn (@TypeOf(context), text: [:0]const u8, json: [:0]const u8) void,
) Error!void {
    const carried = struct {
        fn run(arg: ?*anyopaque, said: [*c]const u8, json: [*c]const u8) callconv(.c) void {
            function(@ptrCast(@alignCast(arg.?)), span(said), span(json));
        }
    };
    try errors.check(raw.gs_set_check_callback(carried.run, @ptrCast(context)));
}
/// Reports go to stderr, as at first.
pub fn resetCallback() Error!void {
    try errors.check(raw.gs_set_check_callback(null, null));
}
fn span(said: [*c]const u8) [:0]const u8 {
    return @import("std").mem.span(@as([*:0]const u8, @ptrCast(said)));
}
