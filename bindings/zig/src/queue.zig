// SPDX-License-Identifier: Apache-2.0
const calls = @import("calls.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const limit = @import("limit.zig");
const Stream = @import("stream.zig").Stream;

/// An entry of a queue: its token, and how the work ended, which errors.check() tells as an error.
pub const Completion = raw.gs_completion_t;

/// Reports when points of streams are reached.
pub const CompletionQueue = struct {
    handle: raw.gs_queue_t = null,

    /// For at most so many entries that are not taken yet.
    pub fn init(capacity: u32) Error!CompletionQueue {
        return calls.owner(CompletionQueue, raw.gs_queue_create, .{ capacity, 0 });
    }
    pub fn deinit(self: CompletionQueue) void {
        _ = raw.gs_queue_destroy(self.handle); // a failure goes to the library's log
    }
    /// Another reference, with a deinit() of its own.
    pub fn retain(self: CompletionQueue) Error!CompletionQueue {
        try errors.check(raw.gs_queue_retain(self.handle));
        return self;
    }
    /// An entry with this token when the work that `point`, a stream or an event, has now is done.
    pub fn add(self: CompletionQueue, point: anytype, token: u64) Error!void {
        if (@TypeOf(point) == Stream) return errors.check(raw.gs_queue_add_stream(self.handle, point.handle, token));
        return errors.check(raw.gs_queue_add_event(self.handle, point.handle, token));
    }
    /// Delivers the entries with a token now, with GS_ERROR_CANCELLED. Returns how many they are.
    pub fn cancel(self: CompletionQueue, token: u64) Error!usize {
        return calls.number(usize, raw.gs_queue_cancel, .{ self.handle, token });
    }
    /// Ends one thread's wait, now or its next one.
    pub fn wake(self: CompletionQueue) Error!void {
        try errors.check(raw.gs_queue_wake(self.handle));
    }
    /// A file descriptor that is readable while entries wait; only to be polled.
    pub fn descriptor(self: CompletionQueue) Error!i32 {
        return calls.number(i32, raw.gs_queue_fd, .{self.handle});
    }
    /// Takes entries that are there.
    pub fn poll(self: CompletionQueue, into: []Completion) Error![]Completion {
        return into[0..try calls.number(usize, raw.gs_queue_poll, .{ self.handle, into.ptr, into.len })];
    }
    /// Blocks until there is one.
    pub fn wait(self: CompletionQueue, into: []Completion) Error![]Completion {
        return self.waiting(into, -1);
    }
    /// At most for so many nanoseconds: error.Timeout.
    pub fn waitFor(self: CompletionQueue, into: []Completion, ns: u64) Error![]Completion {
        return self.waiting(into, limit.of(ns));
    }
    fn waiting(self: CompletionQueue, into: []Completion, ns: i64) Error![]Completion {
        return into[0..try calls.number(usize, raw.gs_queue_wait, .{ self.handle, into.ptr, into.len, ns })];
    }
};
