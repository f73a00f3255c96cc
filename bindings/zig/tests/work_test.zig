// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const gpustream = @import("gpustream");
const support = @import("support.zig");
const raw = gpustream.raw;
const Stream = gpustream.Stream;
const expect = std.testing.expect;
const expectEqual = std.testing.expectEqual;
const expectError = std.testing.expectError;

test "devices" {
    try expectEqual(2, try gpustream.deviceCount(raw.GS_BACKEND_DEFAULT));
    if (gpustream.deviceCount(77)) |_| return error.NoFailure else |_| {}
    const info = try gpustream.DeviceInfo.of(0);
    try expect(info.name().len > 0);
    try expectError(error.InvalidDevice, gpustream.DeviceInfo.of(99));
    {
        const one = try gpustream.DeviceScope.enter(1);
        defer one.deinit();
        try expectEqual(1, try gpustream.currentDevice());
        const zero = try gpustream.DeviceScope.enter(0);
        try zero.leave();
        try expectEqual(1, try gpustream.currentDevice());
        try expectError(error.InvalidDevice, gpustream.DeviceScope.enter(99));
    }
    try expectEqual(0, try gpustream.currentDevice());
    try gpustream.setCurrentDevice(0);
    try gpustream.synchronizeDevice(1);
    try gpustream.synchronizeDeviceFor(gpustream.current, 60 * std.time.ns_per_s);
}

test "memory" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const from = try gpustream.HostBuffer.init(64);
    defer from.deinit();
    const to = try gpustream.HostBuffer.init(64);
    defer to.deinit();
    for (from.bytes, 0..) |*byte, i| byte.* = @intCast(i);
    {
        var device = try gpustream.Buffer.init(work, 64);
        defer device.deinit(); // in the stream's order
        try work.copy(&device, from, 64);
        try work.copy(to, &device, 64);
        try work.fill(to, 9, 2);
    }
    try work.synchronize();
    try expectEqual(9, to.bytes[1]);
    try std.testing.expectEqualSlices(u8, from.bytes[2..], to.bytes[2..]);
    var words = [_]u32{ 1, 2 };
    try work.copy(words[0..1], words[1..], 4);
    try work.synchronize();
    try expectEqual(2, words[0]);
    try expectError(error.InvalidArgument, work.copy(to, null, 1));
    const copies = [_]gpustream.raw.gs_copy_t{
        .{ .dst = &words[0], .src = from.bytes.ptr, .bytes = 4 },
        .{ .dst = null, .src = null, .bytes = 0 },
        .{ .dst = &words[1], .src = from.bytes.ptr + 4, .bytes = 4 },
    };
    try work.copyBatch(&copies, gpustream.raw.GS_ACCESS_ORDER_DURING_CALL);
    try work.synchronize();
    try std.testing.expectEqualSlices(u8, from.bytes[0..8], std.mem.sliceAsBytes(&words));
    try expectError(error.InvalidArgument, work.copyBatch(&copies, 0));
    try expectError(error.InvalidHandle, gpustream.Buffer.init(.{}, 64));
    if (gpustream.HostBuffer.init(std.math.maxInt(usize))) |_| return error.NoFailure else |_| {}
    const own = try Stream.init(.{});
    const outlives = try gpustream.Buffer.init(own, 64);
    own.deinit();
    outlives.deinit(); // it keeps the stream in whose order it is freed
    const current = try gpustream.Buffer.init(Stream.current, 8);
    current.deinit();
}

test "kernels" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const memory = try gpustream.HostBuffer.init(48);
    defer memory.deinit();
    try expectError(error.InvalidArgument, gpustream.Module.fromFile(0, "/nonexistent.so"));
    try expectError(error.InvalidArgument, gpustream.Module.init(0, "no image"));
    const path = try support.kernels();
    try expectError(error.InvalidArgument, gpustream.Module.init(0, path[0..0])); // not the file of that name
    const module = try gpustream.Module.fromFile(0, path);
    try expectError(error.InvalidArgument, module.kernel("no_such_kernel"));
    const scale = try module.kernel("parity_scale");
    const address: *anyopaque = memory.bytes.ptr;
    try scale.launch(work, .{ .grid = .{ 3, 1, 1 }, .block = .{ 4, 1, 1 } }, .{ address, @as(u32, 5) });
    try work.synchronize();
    const words = std.mem.bytesAsSlice(u32, memory.bytes);
    for (words, 0..) |word, i| try expectEqual(5 * i, word);
    try expectError(error.InvalidArgument, scale.launch(work, .{ .grid = .{ 0, 1, 1 } }, .{ address, @as(u32, 5) }));
    module.deinit();
    try expectError(error.InvalidHandle, scale.launch(work, .{}, .{}));
}

fn refused(text: []const u8, answer: gpustream.Error!void) !void {
    try expectError(error.InvalidArgument, answer);
    try expect(std.mem.indexOf(u8, gpustream.lastError().message(), text) != null);
}

test "attributes of launches" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const memory = try gpustream.HostBuffer.init(48);
    defer memory.deinit();
    const timed = try gpustream.Event.init(gpustream.raw.GS_EVENT_TIMING);
    defer timed.deinit();
    const early = try gpustream.Event.init(0);
    defer early.deinit();
    const module = try gpustream.Module.fromFile(0, try support.kernels());
    defer module.deinit();
    const scale = try module.kernel("parity_scale");
    const graph = try gpustream.Graph.init(0);
    defer graph.deinit();
    const values = .{ @as(*anyopaque, memory.bytes.ptr), @as(u32, 5) };
    try refused("cluster of 2 x 3 x 5 blocks", scale.launch(work, .{ .cluster = .{ 2, 3, 5 } }, values));
    try refused("launch fewer", scale.launch(work, .{ .grid = .{ 1_000_000, 1, 1 }, .block = .{ 1024, 1, 1 }, .cooperative = true }, values));
    try refused("without GS_EVENT_TIMING", scale.launch(work, .{ .programmatic_event = timed.handle }, values));
    try expectError(error.InvalidArgument, graph.addKernel(scale, .{ .programmatic = true }, values, &.{}));
    try expect(std.mem.indexOf(u8, gpustream.lastError().message(), "GS_LAUNCH_PROGRAMMATIC") != null);
    _ = try graph.addKernel(scale, .{ .cluster = .{ 1, 1, 1 }, .priority = -1, .remote_domain = true }, values, &.{});
    try scale.launch(work, .{ .grid = .{ 6, 1, 1 }, .block = .{ 2, 1, 1 }, .cluster = .{ 2, 1, 1 }, .priority = -1, .remote_domain = true, .programmatic = true, .programmatic_event = early.handle }, values);
    try work.synchronize();
    try expectEqual(55, std.mem.bytesAsSlice(u32, memory.bytes)[11]);
}

test "first records and times" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const other = try Stream.init(.{});
    defer other.deinit();
    const mark = try gpustream.Event.init(0);
    defer mark.deinit();
    try expect(!try mark.recorded());
    try work.record(mark);
    try expect(try mark.recorded());
    try other.wait(mark);
    const once = try gpustream.Event.init(raw.GS_EVENT_INTERPROCESS);
    defer once.deinit();
    try expect(try work.recordOnce(once));
    try expect(!try work.recordOnce(once));
    try expectError(error.InvalidHandle, work.recordOnce(gpustream.Event{}));
    const unrecorded = try gpustream.Event.init(0);
    defer unrecorded.deinit();
    try expectError(error.InvalidHandle, (Stream{}).recordOnce(unrecorded));
    const start = try gpustream.TimedEvent.init(0);
    defer start.deinit();
    const end = try gpustream.TimedEvent.init(0);
    defer end.deinit();
    try work.record(start);
    try work.sleep(100_000);
    try work.record(end);
    try work.synchronize();
    try expect(try start.elapsedNs(end) > 0);
}

test "timelines" {
    const producer = try Stream.init(.{});
    defer producer.deinit();
    const consumer = try Stream.init(.{ .device = 1 });
    defer consumer.deinit();
    const line = try gpustream.Timeline.init(.{ .initial = 5 });
    try expectEqual(5, try line.value());
    try consumer.waitFor(line, 7); // before the signal
    try expect(!try consumer.query());
    try producer.signal(line, 6);
    try line.synchronize(6);
    try expectError(error.Timeout, line.synchronizeFor(7, 1000));
    try line.signal(7);
    try consumer.synchronize();
    try expectError(error.InvalidArgument, line.signal(3));
    const same = try line.retain();
    line.deinit();
    try expectEqual(7, try same.value());
    try same.abort(error.Aborted);
    try expectError(error.Aborted, same.synchronize(9));
    same.deinit();
    try expectError(error.InvalidHandle, same.value());
}

test "signals that come first" {
    const line = try gpustream.Timeline.init(.{ .flags = raw.GS_TIMELINE_SIGNAL_FIRST });
    defer line.deinit();
    const waits = try gpustream.Stream.init(.{});
    defer waits.deinit();
    try expectError(error.InvalidArgument, waits.waitFor(line, 1));
    try line.signal(1);
    try waits.waitFor(line, 1);
    try waits.synchronize();
}

test "names for other processes" {
    const mark = try gpustream.Event.init(raw.GS_EVENT_INTERPROCESS);
    defer mark.deinit();
    _ = try mark.ipcExport();
    const private = try gpustream.Event.init(0);
    defer private.deinit();
    try expectError(error.InvalidArgument, private.ipcExport());
    try expectError(error.InvalidArgument, gpustream.Event.fromIpc(0, std.mem.zeroes(raw.gs_ipc_handle_t)));
}

test "levels of priority" {
    var least: i32 = 0;
    var greatest: i32 = 0;
    try gpustream.check(raw.gs_device_priority_range(0, &least, &greatest));
    const level = gpustream.priority_level;
    for ([_][2]i32{ .{ level.high, greatest }, .{ level.normal, 0 }, .{ level.low, least } }) |pair| {
        const work = try Stream.init(.{ .priority = pair[0] });
        defer work.deinit();
        try expectEqual(pair[1], try work.priority());
    }
}
