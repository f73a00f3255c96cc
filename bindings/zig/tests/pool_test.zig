// SPDX-License-Identifier: Apache-2.0
//! Pools, and the random state of a device.
const std = @import("std");
const gpustream = @import("gpustream");
const support = @import("support.zig");
const Buffer = gpustream.Buffer;
const Pool = gpustream.Pool;
const Stream = gpustream.Stream;
const expect = std.testing.expect;
const expectEqual = std.testing.expectEqual;
const expectError = std.testing.expectError;

test "a pool has a limit and statistics" {
    const small = try Pool.init(.{ .device = 0, .limit = 1 << 20 });
    defer small.deinit();
    const work = try Stream.init(.{ .device = 0 });
    defer work.deinit();
    var first = try Buffer.initFrom(small, work, 700_000);
    try expectError(error.OutOfMemory, Buffer.initFrom(small, work, 700_000));
    const stats = try small.stats();
    try expectEqual(1 << 20, stats.limit_bytes);
    try expectEqual(700_000, stats.requested_bytes);
    try expectEqual(1, stats.blocks);
    try expectEqual(1, stats.out_of_memory);
    first.deinit();
    try work.synchronize();
    try small.trim(0);
    try small.resetPeak();
    try expectEqual(0, (try small.stats()).allocated_peak_bytes);
    try small.setLimit(0);
    const second = try Buffer.initFrom(small, work, 2_000_000);
    second.deinit();
}

test "a pool is current on its thread, and its memory outlives it" {
    const work = try Stream.init(.{ .device = 0 });
    defer work.deinit();
    const mine = try Pool.init(.{ .device = 0 });
    const other = try mine.retain();
    try mine.makeCurrent();
    try expectEqual(mine.handle, (try Pool.current(0)).handle);
    var made = try Buffer.init(work, 512);
    defer made.deinit();
    try expectEqual(1, (try mine.stats()).blocks);
    try (try Pool.ofDevice(0)).makeCurrent();
    try expect((try Pool.current(0)).handle != mine.handle);
    mine.deinit();
    other.deinit();
    try expectError(error.InvalidHandle, mine.stats());
    try expectError(error.InvalidHandle, Buffer.initFrom(.{}, work, 64));
    try expectError(error.InvalidArgument, Pool.init(.{ .flags = 1 << 30 }));
    try work.fill(&made, 1, 512);
    try work.synchronize();
}

test "memory of several streams is freed after all of them" {
    const one = try Stream.init(.{});
    defer one.deinit();
    const other = try Stream.init(.{});
    defer other.deinit();
    var held: support.Held = .{};
    try other.launchHost(&held, support.Held.wait);
    var shared = try Buffer.init(one, 1024);
    defer shared.deinit(); // has nothing left to do
    try expectError(error.InvalidHandle, shared.deinitAfter(.{ one, Stream{} }));
    try shared.deinitAfter(.{ one, other });
    try expectError(error.InvalidHandle, one.fill(&shared, 1, 1));
    try one.synchronize(); // it does not wait for the other
    held.open.store(true, .release);
    try other.synchronize();
}

test "a buffer that ends in a capture is freed after it" {
    const own = try Pool.init(.{});
    defer own.deinit();
    const work = try Stream.init(.{});
    defer work.deinit();
    for (0..20) |_| {
        const kept = try Buffer.initFrom(own, work, 4096);
        try work.beginCapture(gpustream.raw.GS_CAPTURE_RELAXED);
        kept.deinit();
        const graph = try work.endCapture();
        graph.deinit();
    }
    try expectEqual(gpustream.raw.GS_OK, gpustream.raw.gs_trim());
    var rounds: usize = 0; // the library's thread frees them
    while ((try own.stats()).blocks != 0 and rounds < 1_000_000) rounds += 1;
    try expectEqual(0, (try own.stats()).blocks);
}

test "the random state is set, read and reserved" {
    const work = try Stream.init(.{ .device = 0 });
    defer work.deinit();
    try gpustream.random.seed(0, 11);
    const drawn = try gpustream.random.reserve(work, 5);
    try expectEqual(0, drawn.captured);
    try expectEqual(11, drawn.seed);
    try expectEqual(0, drawn.offset);
    try expectEqual(gpustream.random.State{ .seed = 11, .offset = 8 }, try gpustream.random.getState(0)); // a multiple of 4
    try gpustream.random.setState(0, .{ .seed = 12, .offset = 400 });
    try expectEqual(400, (try gpustream.random.reserve(work, 1)).offset);
    try expectError(error.InvalidArgument, gpustream.random.setState(0, .{ .seed = 1, .offset = 2 }));
}
