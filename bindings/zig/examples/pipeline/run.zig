// SPDX-License-Identifier: Apache-2.0
//! What the lanes share: the file, the next chunk, the result, and the first failure.
const std = @import("std");
const gpustream = @import("gpustream");
const Digest = @import("digest.zig").Digest;

/// What a lane does on its thread, with a number of streams of its own.
pub const Work = *const fn (run: *Run, streams: usize) anyerror!void;

pub const Run = struct {
    io: std.Io,
    file: std.Io.File,
    length: u64,
    chunk: u64,
    kernel: gpustream.Kernel,
    next: std.atomic.Value(u64) = .init(0),
    lock: std.Io.Mutex = .init,
    result: Digest,
    failure: ?anyerror = null,
    detail: gpustream.Detail = undefined, // of the failure, if it is one of a call

    /// The offset of a chunk that no other lane has.
    pub fn take(self: *Run) ?u64 {
        const offset = self.next.fetchAdd(self.chunk, .monotonic);
        return if (offset < self.length) offset else null;
    }
    pub fn read(self: *Run, into: []u8, offset: u64) !void {
        if (try self.file.readPositionalAll(self.io, into, offset) != into.len) return error.FileHasBecomeShorter;
    }
    pub fn deliver(self: *Run, offset: u64, bytes: u64, words: []const u32) void {
        self.lock.lockUncancelable(self.io);
        defer self.lock.unlock(self.io);
        self.result.place(offset, bytes, words);
    }
    fn one(self: *Run, work: Work, streams: usize) void {
        work(self, streams) catch |failure| {
            self.next.store(self.length, .monotonic);
            self.lock.lockUncancelable(self.io);
            defer self.lock.unlock(self.io);
            if (self.failure != null) return;
            self.failure = failure;
            self.detail = gpustream.lastError();
        };
    }
    /// A lane for every three streams, each on a thread of its own.
    pub fn all(self: *Run, work: Work, allocator: std.mem.Allocator, streams: usize) !void {
        const lanes = (streams + 2) / 3;
        const threads = try allocator.alloc(std.Thread, lanes);
        var started: usize = 0;
        defer for (threads[0..started]) |thread| thread.join();
        errdefer self.next.store(self.length, .monotonic);
        while (started < lanes) : (started += 1) {
            const count = streams / lanes + @intFromBool(started < streams % lanes);
            threads[started] = try std.Thread.spawn(.{}, one, .{ self, work, count });
        }
    }
};
