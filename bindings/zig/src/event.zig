// SPDX-License-Identifier: Apache-2.0
const calls = @import("calls.zig");
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const text = @import("text.zig");
const Error = errors.Error;
const limit = @import("limit.zig");

/// What all events can do.
fn Methods(comptime Self: type) type {
    return struct {
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
    };
}

/// A mark in a stream. A dead or empty one makes calls fail with error.InvalidHandle.
pub const Event = struct {
    handle: raw.gs_event_t = null,

    pub fn init(flags: u32) Error!Event {
        return calls.owner(Event, raw.gs_event_create, .{flags});
    }
    /// Wraps a raw event that its owner keeps alive.
    pub fn fromNative(on: raw.gs_device_t, number: usize) Error!Event {
        return calls.owner(Event, raw.gs_event_from_native, .{ on, number });
    }
    /// Opens an event of another process.
    pub fn fromIpc(on: raw.gs_device_t, name: raw.gs_ipc_handle_t) Error!Event {
        return calls.owner(Event, raw.gs_event_ipc_open, .{ on, &name });
    }
    /// With GS_EVENT_INTERPROCESS: its name for other processes.
    pub fn ipcExport(self: Event) Error!raw.gs_ipc_handle_t {
        var name: raw.gs_ipc_handle_t = undefined; // written if all is well
        try errors.check(raw.gs_event_ipc_export(self.handle, &name));
        return name;
    }
    const methods = Methods(Event);
    pub const deinit = methods.deinit;
    pub const retain = methods.retain;
    pub const query = methods.query;
    pub const synchronize = methods.synchronize;
    pub const synchronizeFor = methods.synchronizeFor;
    pub const setName = methods.setName;
    pub const native = methods.native;
    pub const recorded = methods.recorded;
    pub const device = methods.device;
};

/// An event with a time stamp: only these have an elapsed time.
pub const TimedEvent = struct {
    handle: raw.gs_event_t = null,

    pub fn init(flags: u32) Error!TimedEvent {
        return calls.owner(TimedEvent, raw.gs_event_create, .{flags | @as(u32, @intCast(raw.GS_EVENT_TIMING))});
    }
    /// Milliseconds from `self` to `end`, both of which must be complete: error.NotReady.
    pub fn elapsedMs(self: TimedEvent, end: TimedEvent) Error!f64 {
        return calls.number(f64, raw.gs_event_elapsed_ms, .{ self.handle, end.handle });
    }
    /// The same in nanoseconds.
    pub fn elapsedNs(self: TimedEvent, end: TimedEvent) Error!i64 {
        return @intFromFloat(@round(try self.elapsedMs(end) * 1e6));
    }
    const methods = Methods(TimedEvent);
    pub const deinit = methods.deinit;
    pub const retain = methods.retain;
    pub const query = methods.query;
    pub const synchronize = methods.synchronize;
    pub const synchronizeFor = methods.synchronizeFor;
    pub const setName = methods.setName;
    pub const native = methods.native;
    pub const recorded = methods.recorded;
    pub const device = methods.device;
};
