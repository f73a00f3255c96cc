// SPDX-License-Identifier: Apache-2.0
//! Pools of streams, and tokens.
const std = @import("std");
const gpustream = @import("gpustream");
const Held = @import("support.zig").Held;
const Stream = gpustream.Stream;
const StreamPool = gpustream.StreamPool;
const Token = gpustream.Token;
const expect = std.testing.expect;
const expectEqual = std.testing.expectEqual;
const expectError = std.testing.expectError;

test "streams by index and in turn" {
    var pool = try StreamPool(3).init(.{ .device = 1, .priority = -1 });
    for (pool.streams) |one| {
        try expectEqual(1, try one.device());
        try expectEqual(-1, try one.priority());
    }
    try expect(!pool.at(0).eql(pool.at(1)) and !pool.at(1).eql(pool.at(2)) and !pool.at(2).eql(pool.at(0)));
    try expectEqual(pool.at(std.math.maxInt(usize)).handle, pool.at(std.math.maxInt(usize) % 3).handle);
    for (0..7) |turn| try expectEqual(pool.at(turn % 3).handle, pool.next().handle);
    pool.deinit();
    try expectError(error.InvalidHandle, pool.at(2).synchronize());
}

fn takeTurns(pool: *StreamPool(4), seen: *[4]std.atomic.Value(u32)) void {
    for (0..100) |_| {
        const one = pool.next();
        for (&pool.streams, seen) |*mine, *count| {
            if (mine.handle == one.handle) _ = count.fetchAdd(1, .monotonic);
        }
    }
}

test "threads share a pool evenly" {
    var pool = try StreamPool(4).init(.{});
    defer pool.deinit();
    var seen: [4]std.atomic.Value(u32) = @splat(.init(0));
    var threads: [4]std.Thread = undefined;
    for (&threads) |*one| one.* = try std.Thread.spawn(.{}, takeTurns, .{ &pool, &seen });
    for (threads) |one| one.join();
    for (&seen) |*count| try expectEqual(100, count.load(.monotonic));
}

test "all streams of a pool or none" {
    try expectError(error.InvalidDevice, StreamPool(2).init(.{ .device = 99 }));
    const raw = gpustream.raw;
    const both = raw.GS_STREAM_SHARED | raw.GS_STREAM_DEDICATED;
    try expectError(error.InvalidArgument, StreamPool(2).init(.{ .flags = both }));
}

test "tokens are bytes, and what is wrong is refused" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const token = try Token.init(work);
    const again: Token = .{ .bytes = token.bytes };
    var held: Held = .{};
    try work.launchHost(&held, Held.wait);
    const late = try Token.init(work);
    try expect(!try late.query());
    held.open.store(true, .release);
    try again.wait(work);
    try work.synchronize();
    try expectError(error.InvalidHandle, Token.init(.{}));
    try expectError(error.InvalidHandle, token.wait(.{}));
    const nothing: Token = .{ .bytes = @splat(0) };
    try expectError(error.InvalidArgument, nothing.query());
    try expectError(error.InvalidArgument, nothing.wait(work));
}
