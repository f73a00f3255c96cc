// SPDX-License-Identifier: Apache-2.0
const calls = @import("calls.zig");
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const text = @import("text.zig");
const Error = errors.Error;
const limit = @import("limit.zig");

/// A mark in a stream. A dead or empty one makes calls fail with error.InvalidHandle.
pub const Event = Mark(false);

/// An event with a time stamp: only these have an elapsed time.
pub const TimedEvent = Mark(true);

fn Mark(comptime timed: bool) type {
    return struct {
        handle: raw.gs_event_t = null,

        const Self = @This();

        pub fn init(flags: u32) Error!Self {
            const timing: u32 = if (timed) raw.GS_EVENT_TIMING else 0;
            return calls.owner(Self, raw.gs_event_create, .{flags | timing});
        }
        /// Of an Event: wraps a raw event that its owner keeps alive.
        pub fn fromNative(on: raw.gs_device_t, number: usize) Error!Self {
            comptime of(Event);
            return calls.owner(Self, raw.gs_event_from_native, .{ on, number });
        }
        /// Of an Event: opens that of another process.
        pub fn fromIpc(on: raw.gs_device_t, name: raw.gs_ipc_handle_t) Error!Self {
            comptime of(Event);
            return calls.owner(Self, raw.gs_event_ipc_open, .{ on, &name });
        }
        /// Of an Event with GS_EVENT_INTERPROCESS: its name for other processes.
        pub fn ipcExport(self: Self) Error!raw.gs_ipc_handle_t {
            comptime of(Event);
            var name: raw.gs_ipc_handle_t = undefined; // written if all is well
            try errors.check(raw.gs_event_ipc_export(self.handle, &name));
            return name;
        }
        /// Of a TimedEvent: milliseconds from `self` to `end`, both of which must be complete: error.NotReady.
        pub fn elapsedMs(self: Self, end: Self) Error!f64 {
            comptime of(TimedEvent);
            return calls.number(f64, raw.gs_event_elapsed_ms, .{ self.handle, end.handle });
        }
        /// The same in nanoseconds.
        pub fn elapsedNs(self: Self, end: Self) Error!i64 {
            return @intFromFloat(@round(try self.elapsedMs(end) * 1e6));
        }
        pub fn deinit(self: Self) void {
            ends.end(raw.gs_event_destroy, self.handle);
        }
        /// Another reference, with a deinit() of its own.
        pub fn retain(self: Self) Error!Self {
            try errors.check(raw.gs_event_retain(self.handle));
            return self;
        }
        /// Whether the work before the last record is done.
        pub fn query(self: Self) Error!bool {
            var done: i32 = undefined; // written in any case
            try errors.check(raw.gs_event_query(self.handle, &done));
            return done != 0;
        }
        /// Blocks until it is.
        pub fn synchronize(self: Self) Error!void {
            try errors.check(raw.gs_event_synchronize(self.handle));
        }
        /// At most for so many nanoseconds: error.Timeout.
        pub fn synchronizeFor(self: Self, ns: u64) Error!void {
            try errors.check(raw.gs_event_synchronize_for(self.handle, limit.of(ns)));
        }
        /// Shown in error texts and the checker's reports; null or "" is none. 63 bytes are kept.
        pub fn setName(self: Self, name: ?[:0]const u8) Error!void {
            try errors.check(raw.gs_event_set_name(self.handle, try text.forC(name)));
        }
        /// The cudaEvent_t as a number.
        pub fn native(self: Self) Error!usize {
            return calls.number(usize, raw.gs_event_native, .{self.handle});
        }
        /// Whether the library knows of a record.
        pub fn recorded(self: Self) Error!bool {
            return (try calls.filled(raw.gs_event_info_t, raw.gs_event_get_info, .{self.handle})).recorded != 0;
        }
        pub fn device(self: Self) Error!raw.gs_device_t {
            return calls.number(raw.gs_device_t, raw.gs_event_device, .{self.handle});
        }

        /// Refuses to compile a call of what only the other type has.
        fn of(comptime Wanted: type) void {
            if (Self != Wanted) @compileError(if (timed) "a TimedEvent does not have this" else "an Event does not have this: a TimedEvent does");
        }
    };
}
