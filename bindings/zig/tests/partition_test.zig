// SPDX-License-Identifier: Apache-2.0
//! Partitions: what they have, what is refused, their ends, and that a stream in one is a stream like any other.
const std = @import("std");
const gpustream = @import("gpustream");
const raw = gpustream.raw;
const Event = gpustream.Event;
const Partition = gpustream.Partition;
const Stream = gpustream.Stream;
const expect = std.testing.expect;
const expectEqual = std.testing.expectEqual;
const expectError = std.testing.expectError;

// What the smallest partition has, and how many of them the current device can be divided into.
const Division = struct {
    unit: u32,
    units: u32,

    fn ofDevice() !Division {
        const smallest = try Partition.init(1, .{});
        defer smallest.deinit();
        const has = try smallest.info();
        const units = has.device_sm_count / has.unit_sm_count;
        return .{ .unit = has.unit_sm_count, .units = units };
    }
};

test "partitions report what they have" {
    const part = try Partition.init(1, .{});
    defer part.deinit();
    const has = try part.info();
    try expectEqual(1, has.requested_sm_count);
    try expectEqual(has.unit_sm_count, has.sm_count); // rounded up to one unit
    try expect(has.device_sm_count >= has.sm_count);
    var backend: raw.gs_backend_t = undefined;
    try gpustream.check(raw.gs_default_backend(&backend));
    try expectEqual(backend == raw.GS_BACKEND_HOST, has.native == 0);
    const one = try part.createStream(.{});
    const other = try part.createStream(.{});
    try expectEqual(2, (try part.info()).streams);
    one.deinit();
    other.deinit();
    try expectEqual(0, (try part.info()).streams);
}

test "several partitions at once, or none" {
    const has = try Division.ofDevice();
    const counts = [_]u32{ 1, has.unit, 1 };
    var room: [3]Partition = undefined;
    const parts = room[0..@min(has.units, 3)];
    try Partition.initAll(parts, counts[0..parts.len], .{});
    for (parts, 0..) |part, i| {
        try expectEqual(counts[i], (try part.info()).requested_sm_count);
        part.deinit();
    }
    if (has.units < 2) return;
    const urgent, const batch = try Partition.split(2, .{ 1, 1 }, .{ .device = gpustream.current, .flags = raw.GS_PARTITION_FINE });
    try expect(urgent.handle != batch.handle);
    urgent.deinit();
    batch.deinit();
}

test "what is wrong is refused" {
    const wrong = error.InvalidArgument;
    try expectError(wrong, Partition.init(0, .{}));
    try expectError(wrong, Partition.split(2, .{ 1, 0 }, .{}));
    try expectError(wrong, Partition.initAll(&.{}, &.{}, .{}));
    var room: [2]Partition = undefined;
    try expectError(wrong, Partition.initAll(&room, &.{1}, .{}));
    const part = try Partition.init(1, .{});
    defer part.deinit();
    try expectError(wrong, part.createStream(.{ .flags = raw.GS_STREAM_BLOCKING }));
    try expectError(wrong, part.createStream(.{ .flags = raw.GS_STREAM_SHARED }));
    try expectEqual(0, (try part.info()).streams);
}

test "the priority of a partition's stream" {
    const part = try Partition.init(1, .{});
    defer part.deinit();
    const high = gpustream.priority_level.high;
    const work = try part.createStream(.{ .priority = high, .flags = raw.GS_STREAM_DEDICATED });
    defer work.deinit();
    const other = try Stream.init(.{ .priority = high });
    defer other.deinit();
    try expectEqual(try other.priority(), try work.priority());
}

test "partitions end before their streams" {
    const part = try Partition.init(1, .{});
    const work = try part.createStream(.{});
    defer work.deinit();
    part.deinit();
    const done = try Event.init(0);
    defer done.deinit();
    try work.record(done);
    try work.synchronize();
    try expect(try done.query());
    const nothing: Partition = .{};
    for ([_]Partition{ part, nothing }) |ended| {
        try expectError(error.InvalidHandle, ended.info());
        try expectError(error.InvalidHandle, ended.createStream(.{}));
        ended.deinit(); // is logged and does no harm
    }
}
