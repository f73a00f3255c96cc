// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const errors = @import("errors.zig");
const stream = @import("stream.zig");
const Error = errors.Error;
const Stream = stream.Stream;

/// So many streams that a program's parts share on purpose: for work that is spread over a few streams, more often than there
/// are streams. They end with deinit(). Threads may share a pool, by its address.
pub fn StreamPool(comptime count: usize) type {
    if (count == 0) @compileError("a pool has at least one stream");
    return struct {
        const Self = @This();
        streams: [count]Stream,
        turns: std.atomic.Value(usize) = .init(0),

        /// All streams, with the same options, or none.
        pub fn init(options: stream.Options) Error!Self {
            var made: [count]Stream = undefined;
            for (&made, 0..) |*one, before| {
                errdefer for (made[0..before]) |earlier| earlier.deinit();
                one.* = try Stream.init(options);
            }
            return .{ .streams = made };
        }
        /// The streams' work goes on.
        pub fn deinit(self: *const Self) void {
            for (self.streams) |one| one.deinit();
        }
        /// The stream with an index, modulo the number of streams.
        pub fn at(self: *const Self, index: usize) Stream {
            return self.streams[index % count];
        }
        /// The next stream in turn, on whatever thread.
        pub fn next(self: *Self) Stream {
            return self.at(self.turns.fetchAdd(1, .monotonic));
        }
    };
}
