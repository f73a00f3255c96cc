// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const calls = @import("calls.zig");
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const text = @import("text.zig");
const Error = errors.Error;
const addressOf = @import("address.zig").addressOf;
const streamFor = @import("address.zig").streamFor;
const writtenAt = @import("address.zig").writtenAt;
const Graph = @import("graph.zig").Graph;
const limit = @import("limit.zig");
const Timeline = @import("timeline.zig").Timeline;

/// Priorities without a device's numbers: the highest that it has, the usual one, and the lowest.
pub const priority_level = struct {
    pub const high: i32 = std.math.minInt(i32);
    pub const normal: i32 = 0;
    pub const low: i32 = std.math.maxInt(i32);
};

/// What a stream is made with.
pub const Options = struct {
    device: raw.gs_device_t = raw.GS_DEVICE_CURRENT,
    /// Lower is higher; out of range is clamped. priority_level has names for some.
    priority: i32 = 0,
    /// GS_STREAM_*
    flags: u32 = 0,
};

/// A stream of one's own, or a handle of another's. A dead or empty one makes calls fail with error.InvalidHandle.
pub const Stream = struct {
    handle: raw.gs_stream_t = null,

    /// The calling thread's current stream at the time of each call. Needs no deinit().
    pub const current: Stream = .{ .handle = raw.GS_STREAM_CURRENT };

    pub fn init(options: Options) Error!Stream {
        return calls.owner(Stream, raw.gs_stream_create, .{ options.device, options.priority, options.flags });
    }
    /// Wraps a cudaStream_t, as a number, that its owner keeps alive.
    pub fn fromNative(on: raw.gs_device_t, number: usize) Error!Stream {
        return calls.owner(Stream, raw.gs_stream_from_native, .{ on, number });
    }
    pub fn deinit(self: Stream) void {
        ends.end(raw.gs_stream_destroy, self.handle);
    }
    /// Another reference, with a deinit() of its own.
    pub fn retain(self: Stream) Error!Stream {
        try errors.check(raw.gs_stream_retain(self.handle));
        return self;
    }

    /// `mark` is an Event or a TimedEvent.
    pub fn record(self: Stream, mark: anytype) Error!void {
        try errors.check(raw.gs_stream_record_event(self.handle, mark.handle));
    }
    /// Does so if the event has no record yet, and returns whether it did.
    pub fn recordOnce(self: Stream, mark: anytype) Error!bool {
        if (try mark.recorded()) return false;
        try self.record(mark);
        return true;
    }
    /// Later work waits for what `other`, an event or a stream, marks or has now.
    pub fn wait(self: Stream, other: anytype) Error!void {
        if (@TypeOf(other) == Stream) return errors.check(raw.gs_stream_wait_stream(self.handle, other.handle));
        return errors.check(raw.gs_stream_wait_event(self.handle, other.handle));
    }
    /// Raises the timeline to a value when the work so far is done.
    pub fn signal(self: Stream, timeline: Timeline, value: u64) Error!void {
        try errors.check(raw.gs_stream_signal_timeline(self.handle, timeline.handle, value));
    }
    /// Later work waits until the timeline has reached the value, which may be before someone signals it.
    pub fn waitFor(self: Stream, timeline: Timeline, value: u64) Error!void {
        try errors.check(raw.gs_stream_wait_timeline(self.handle, timeline.handle, value));
    }
    /// Copies bytes. `to` and `from` are a `&buffer`, a HostBuffer, a slice or an address; memory of the host that is not a
    /// HostBuffer's may make the call block. In a capture the host waits for the allocation of a buffer from before.
    pub fn copy(self: Stream, to: anytype, from: anytype, bytes: usize) Error!void {
        const on = try streamFor(from, try streamFor(to, self));
        try errors.check(raw.gs_memcpy_async(writtenAt(to), addressOf(from), bytes, on.handle));
    }
    /// Several copies, in one call of the driver where it has one; order is GS_ACCESS_ORDER_*. They go by addresses: `use()` orders
    /// the stream behind a Buffer's allocation. Only GS_ACCESS_ORDER_STREAM waits for earlier work before the sources are read.
    pub fn copyBatch(self: Stream, copies: []const raw.gs_copy_t, order: i32) Error!void {
        try errors.check(raw.gs_memcpy_batch_async(copies.ptr, copies.len, order, self.handle));
    }
    pub fn fill(self: Stream, to: anytype, byte: u8, bytes: usize) Error!void {
        const on = try streamFor(to, self);
        try errors.check(raw.gs_memset_async(writtenAt(to), byte, bytes, on.handle));
    }
    /// What is submitted from now on becomes a graph, until endCapture(); mode is GS_CAPTURE_*.
    pub fn beginCapture(self: Stream, mode: i32) Error!void {
        try errors.check(raw.gs_stream_begin_capture(self.handle, mode));
    }
    pub fn endCapture(self: Stream) Error!Graph {
        return calls.owner(Graph, raw.gs_stream_end_capture, .{self.handle});
    }
    /// For `errdefer`: also of a capture that a failure has broken.
    pub fn abortCapture(self: Stream) void {
        _ = raw.gs_stream_abort_capture(self.handle);
    }
    /// Whether all work is done.
    pub fn query(self: Stream) Error!bool {
        var done: i32 = undefined; // written in any case
        try errors.check(raw.gs_stream_query(self.handle, &done));
        return done != 0;
    }
    /// Blocks until it is.
    pub fn synchronize(self: Stream) Error!void {
        try errors.check(raw.gs_stream_synchronize(self.handle));
    }
    /// At most for so many nanoseconds: error.Timeout.
    pub fn synchronizeFor(self: Stream, ns: u64) Error!void {
        try errors.check(raw.gs_stream_synchronize_for(self.handle, limit.of(ns)));
    }
    /// Shown in error texts and the checker's reports; null or "" is none. 63 bytes are kept.
    pub fn setName(self: Stream, name: ?[:0]const u8) Error!void {
        try errors.check(raw.gs_stream_set_name(self.handle, try text.forC(name)));
    }
    /// The cudaStream_t as a number.
    pub fn native(self: Stream) Error!usize {
        return calls.number(usize, raw.gs_stream_native, .{self.handle});
    }
    pub fn device(self: Stream) Error!raw.gs_device_t {
        return calls.number(raw.gs_device_t, raw.gs_stream_device, .{self.handle});
    }
    pub fn priority(self: Stream) Error!i32 {
        return (try calls.filled(raw.gs_stream_info_t, raw.gs_stream_get_info, .{self.handle})).priority;
    }
    /// The same device and driver stream, owned or not.
    pub fn eql(self: Stream, other: Stream) bool {
        var equal: i32 = 0;
        return self.handle == other.handle or
            (raw.gs_stream_equal(self.handle, other.handle, &equal) == raw.GS_OK and equal != 0);
    }
    /// Keeps the device busy, for tests and examples.
    pub fn sleep(self: Stream, cycles: u64) Error!void {
        try errors.check(raw.gs_stream_sleep(self.handle, cycles));
    }

    /// Calls function(context) in the stream's order; later work waits until it has returned. It must not act on a device
    /// or wait for work. `context` must live until then.
    pub fn launchHost(self: Stream, context: anytype, comptime function: fn (@TypeOf(context)) void) Error!void {
        const carried = struct {
            fn run(arg: ?*anyopaque) callconv(.c) void {
                function(@ptrCast(@alignCast(arg.?)));
            }
        };
        try errors.check(raw.gs_stream_launch_host(self.handle, carried.run, @ptrCast(context)));
    }
    /// Calls function(context, result) on a thread of the library when the work so far is done.
    pub fn notify(self: Stream, context: anytype, comptime function: fn (@TypeOf(context), Error!void) void) Error!void {
        const carried = struct {
            fn run(arg: ?*anyopaque, status: raw.gs_status_t) callconv(.c) void {
                function(@ptrCast(@alignCast(arg.?)), errors.check(status));
            }
        };
        try errors.check(raw.gs_stream_notify(self.handle, carried.run, @ptrCast(context)));
    }
};

/// Borrowed until this thread next changes the device's current stream.
pub fn currentStream(on: raw.gs_device_t) Error!Stream {
    try library.check();
    var found: Stream = .{};
    try errors.check(raw.gs_current_stream(on, &found.handle));
    return found;
}
/// A device's default stream, which is always there.
pub fn defaultStream(on: raw.gs_device_t) Error!Stream {
    try library.check();
    var found: Stream = .{};
    try errors.check(raw.gs_default_stream(on, &found.handle));
    return found;
}
