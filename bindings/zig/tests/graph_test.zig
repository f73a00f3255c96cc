// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const gpustream = @import("gpustream");
const support = @import("support.zig");
const raw = gpustream.raw;
const Stream = gpustream.Stream;
const expect = std.testing.expect;
const expectEqual = std.testing.expectEqual;
const expectError = std.testing.expectError;

test "queues" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const mark = try gpustream.Event.init(0);
    defer mark.deinit();
    const queue = try gpustream.CompletionQueue.init(2);
    var held: support.Held = .{};
    var room: [4]gpustream.Completion = undefined;
    try work.launchHost(&held, support.Held.wait);
    try work.record(mark);
    try queue.add(work, 11);
    try queue.add(mark, 12);
    try expectError(error.Full, queue.add(work, 13));
    try expect(try queue.descriptor() >= 0);
    try expectEqual(0, (try queue.poll(&room)).len);
    try expectError(error.Timeout, queue.waitFor(&room, 1000));
    try expectEqual(1, try queue.cancel(12));
    const cancelled = try queue.wait(room[0..1]);
    try expect(cancelled.len == 1 and cancelled[0].token == 12);
    try expectError(error.Cancelled, gpustream.check(cancelled[0].status));
    held.open.store(true, .release);
    const done = try queue.wait(&room);
    try expect(done.len == 1 and done[0].token == 11);
    try gpustream.check(done[0].status);
    try queue.wake();
    try expectEqual(0, (try queue.wait(&room)).len);
    const same = try queue.retain();
    queue.deinit();
    try expectEqual(0, (try same.poll(&room)).len);
    same.deinit();
    try expectError(error.InvalidHandle, same.add(work, 1));
    try expectError(error.InvalidArgument, gpustream.CompletionQueue.init(0));
}

test "captures" {
    const work = try Stream.init(.{});
    defer work.deinit();
    var held: support.Held = .{};
    try work.beginCapture(raw.GS_CAPTURE_THREAD_LOCAL);
    const graph = captured: {
        errdefer work.abortCapture();
        try work.launchHost(&held, support.Held.count);
        try work.launchHost(&held, support.Held.count);
        try expectError(error.Capturing, work.synchronize());
        break :captured try work.endCapture();
    };
    const info = try graph.info();
    try expect(info.node_count == 2 and info.edge_count == 1);
    try expect(try graph.native() != 0);
    const exec = try graph.instantiate(0);
    graph.deinit(); // the executable is made from it, not bound to it
    try exec.upload(work);
    try exec.launch(work);
    try exec.launch(work);
    try work.synchronize();
    try expectEqual(4, held.called.load(.monotonic));
    exec.deinit();
    try expectError(error.InvalidHandle, exec.launch(work));
    try expectError(error.InvalidHandle, graph.info());
    if (work.endCapture()) |_| return error.NoFailure else |_| {}
    try work.beginCapture(raw.GS_CAPTURE_THREAD_LOCAL);
    work.abortCapture();
    try expect(try work.query());
}

test "nodes" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const mark = try gpustream.Event.init(0);
    defer mark.deinit();
    const module = try gpustream.Module.fromFile(0, try support.kernels());
    defer module.deinit();
    const scale = try module.kernel("parity_scale");
    const memory = try gpustream.HostBuffer.init(16);
    defer memory.deinit();
    @memset(memory.bytes, 0);
    const words = std.mem.bytesAsSlice(u32, memory.bytes);
    var held: support.Held = .{};

    const child = try gpustream.Graph.init(0);
    defer child.deinit();
    const before = try child.addEmpty(&.{});
    _ = try child.addHost(&held, support.Held.count, &.{before});
    const built = try gpustream.Graph.init(0);
    defer built.deinit();
    const first = try built.addGraph(child, &.{});
    const filled = try built.addFill(words[2..3], 1, 4, &.{first});
    const address: *anyopaque = memory.bytes.ptr;
    const scaled = try built.addKernel(scale, .{ .block = .{ 2, 1, 1 } }, .{ address, @as(u32, 3) }, &.{filled});
    const recorded = try built.addRecord(mark, &.{scaled});
    const waited = try built.addWait(mark, &.{recorded});
    _ = try built.addCopy(words[3..4], words[1..2], 4, &.{ first, waited });
    if (built.addEmpty(&.{12345})) |_| return error.NoFailure else |_| {}
    try expectEqual(6, (try built.info()).node_count);

    const exec = try built.instantiate(0);
    defer exec.deinit();
    try exec.launch(work);
    try work.synchronize();
    try std.testing.expectEqualSlices(u32, &.{ 0, 3, 0x01010101, 3 }, words);
    try expectEqual(1, held.called.load(.monotonic));
    const copy = try built.clone();
    defer copy.deinit();
    try expectEqual(raw.GS_UPDATE_OK, (try exec.update(copy)).reason);
    try expectEqual(raw.GS_UPDATE_TOPOLOGY, (try exec.update(child)).reason);
    const same = try exec.retain();
    same.deinit();
    const wrapped = try gpustream.Graph.fromNative(0, try built.native());
    wrapped.deinit();
    const again = try built.retain();
    again.deinit();
}
