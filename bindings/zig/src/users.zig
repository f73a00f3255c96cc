// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const calls = @import("calls.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const Event = @import("event.zig").Event;
const streams = @import("stream.zig");
const Stream = streams.Stream;

/// A per-thread stream is another one on each thread. The default stream's work comes after that of all of them.
pub fn standIn(stream: Stream) Error!Stream {
    return if (try calls.number(i64, raw.gs_stream_id, .{stream.handle}) == 2) streams.defaultStream(try stream.device()) else stream;
}

/// The streams that use a buffer besides that of its allocation, which is the buffer's. The first use in another stream than
/// that is ordered behind the allocation; between uses in different streams nothing waits.
pub const Users = struct {
    /// That of the allocation; those that were recorded; those that entered. Each but the first with a reference. Empty: there
    /// are no others.
    all: std.ArrayList(raw.gs_stream_t) = .empty,
    first_entered: usize = 1,
    /// Behind the allocation, when another stream first used the memory.
    begun: ?Event = null,

    const allocator = std.heap.c_allocator;
    const many = 16;

    /// A recorded one may be given work at any time until the memory is freed.
    pub const Kind = enum { recorded, entered };

    pub fn any(self: Users) bool {
        return self.all.items.len != 0;
    }
    /// The stream is about to use the memory.
    pub fn enter(self: *Users, own: Stream, stream: Stream) Error!void {
        if (self.find(stream) != null) return;
        try self.order(own, stream);
        try self.note(own, stream, .entered);
    }
    pub fn note(self: *Users, own: Stream, user: Stream, kind: Kind) Error!void {
        const stream = try standIn(user);
        const first = try standIn(own);
        if (stream.handle == first.handle) return;
        if (self.find(stream)) |at| {
            if (kind == .recorded and at >= self.first_entered) self.markRecorded(at);
            return;
        }
        // A buffer that lives long would keep every stream that ever used it.
        if (self.all.items.len > many and std.math.isPowerOfTwo(self.all.items.len)) self.forgetIdle();
        self.all.ensureUnusedCapacity(allocator, 2) catch return errors.refused(raw.GS_ERROR_OUT_OF_MEMORY);
        const kept = try stream.retain();
        if (!self.any()) self.all.appendAssumeCapacity(first.handle);
        self.all.appendAssumeCapacity(kept.handle);
        if (kind == .recorded) self.markRecorded(self.all.items.len - 1);
    }
    pub fn release(self: Users) void {
        if (self.begun) |begun| begun.deinit();
        if (!self.any()) return;
        for (self.all.items[1..]) |user| (Stream{ .handle = user }).deinit();
        var all = self.all;
        all.deinit(allocator);
    }

    fn find(self: Users, stream: Stream) ?usize {
        return std.mem.indexOfScalar(raw.gs_stream_t, self.all.items, stream.handle);
    }
    fn markRecorded(self: *Users, at: usize) void {
        std.mem.swap(raw.gs_stream_t, &self.all.items[at], &self.all.items[self.first_entered]);
        self.first_entered += 1;
    }
    fn forgetIdle(self: *Users) void {
        var at = self.all.items.len;
        while (at > self.first_entered) {
            at -= 1;
            const user: Stream = .{ .handle = self.all.items[at] };
            if (user.query() catch false) {
                user.deinit();
                _ = self.all.swapRemove(at);
            }
        }
    }
    /// Makes the stream wait for the allocation. A graph cannot wait for work from outside of it, so the host does.
    fn order(self: *Users, own: Stream, stream: Stream) Error!void {
        const is_captured = try isCapturing(stream);
        if (self.begun == null) {
            if (try isCapturing(own)) return if (is_captured) orderInCapture(own, stream) else errors.refused(raw.GS_ERROR_CAPTURING);
            const mark = try Event.init(0);
            errdefer mark.deinit();
            try (try standIn(own)).record(mark);
            self.begun = mark;
        }
        return if (is_captured) self.begun.?.synchronize() else stream.wait(self.begun.?);
    }
    /// The memory may be the graph's, or from before the capture.
    fn orderInCapture(own: Stream, stream: Stream) Error!void {
        if (try captureId(own) == try captureId(stream)) try stream.wait(own);
    }
    fn isCapturing(stream: Stream) Error!bool {
        return try calls.number(i32, raw.gs_stream_is_capturing, .{stream.handle}) != 0;
    }
    fn captureId(stream: Stream) Error!u64 {
        return (try calls.filled(raw.gs_capture_info_t, raw.gs_stream_capture_info, .{stream.handle})).id;
    }
};
