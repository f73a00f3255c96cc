// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const gpustream = @import("gpustream");
const Held = @import("support.zig").Held;
const Stream = gpustream.Stream;
const Event = gpustream.Event;
const Scope = gpustream.Scope;
const expect = std.testing.expect;
const expectError = std.testing.expectError;
test "order and time" {
    const producer = try Stream.init(.{});
    defer producer.deinit();
    const consumer = try Stream.init(.{ .device = 1 });
    defer consumer.deinit();
    const start = try gpustream.TimedEvent.init(0);
    defer start.deinit();
    const ready = try gpustream.TimedEvent.init(0);
    defer ready.deinit();
    try producer.record(start);
    try producer.sleep(1_000_000);
    try producer.record(ready);
    try consumer.wait(ready);
    try consumer.wait(producer);
    try consumer.synchronize();
    try expect(try ready.query());
    try expect(try start.elapsedMs(ready) > 0);
    try expect(try consumer.device() == 1);
}

test "references" {
    const first = try Stream.init(.{});
    const second = try first.retain();
    first.deinit();
    try expect(try second.query());
    second.deinit();
    try expectError(error.InvalidHandle, second.query());
}

test "failures have their record" {
    const nothing: Stream = .{};
    try expectError(error.InvalidHandle, nothing.synchronize());
    const detail = gpustream.lastError();
    try std.testing.expectEqualStrings("gs_stream_synchronize", detail.function());
    try expect(detail.message().len > 0 and detail.origin().len == 0 and !detail.isSticky());
    try expectError(error.InvalidDevice, Stream.init(.{ .device = 99 }));
    try expectError(error.InvalidArgument, Event.init(1 << 30));
    try expectError(error.InvalidHandle, Stream.fromNative(0, 77));
    const timed = try gpustream.TimedEvent.init(0);
    defer timed.deinit();
    try expectError(error.NotRecorded, timed.elapsedMs(timed));
    try expectError(error.Unknown, gpustream.check(12345));
}

test "a text with a NUL inside is refused" {
    const stream = try Stream.init(.{});
    defer stream.deinit();
    const event = try Event.init(0);
    defer event.deinit();
    const wrong = error.InvalidArgument;
    try expectError(wrong, stream.setName("a\x00b"));
    try expectError(wrong, event.setName("a\x00b"));
    try expectError(wrong, gpustream.mark("a\x00b"));
    try expectError(wrong, gpustream.Range.enter("a\x00b"));
    try expectError(wrong, gpustream.Module.fromFile(0, "/\x00"));
    try expectError(wrong, gpustream.checker.read(stream, null, 0, "a\x00b"));
    try stream.setName("");
    try stream.setName(null);
}

test "failures without a record hide older ones" {
    const timeline = try gpustream.Timeline.init(.{});
    defer timeline.deinit();
    const nothing: Stream = .{};
    try expectError(error.InvalidHandle, nothing.synchronize());
    try expectError(error.InvalidArgument, gpustream.Module.init(0, ""));
    const refused = gpustream.lastError();
    try expect(refused.info.status == gpustream.raw.GS_ERROR_INVALID_ARGUMENT and refused.function().len == 0 and refused.message().len > 0);
    try expectError(error.Timeout, timeline.synchronizeFor(1, 0));
    try expect(gpustream.lastError().info.status == gpustream.raw.GS_ERROR_TIMEOUT);
    try expectError(error.Scope, (gpustream.Scope{ .number = 0 }).leave());
    try expect(gpustream.lastError().info.status == gpustream.raw.GS_ERROR_SCOPE);
    try expectError(error.InvalidHandle, nothing.synchronize());
    try std.testing.expectEqualStrings("gs_stream_synchronize", gpustream.lastError().function());
}

test "scopes" {
    const before = try gpustream.currentStream(gpustream.current);
    const outer = try Stream.init(.{});
    defer outer.deinit();
    const inner = try Stream.init(.{ .device = 1 });
    defer inner.deinit();
    {
        const one = try Scope.enter(outer);
        defer one.deinit();
        const two = try Scope.enter(inner);
        try expectError(error.Scope, one.leave());
        try expect((try gpustream.currentStream(gpustream.current)).eql(inner));
        try two.leave();
        try expectError(error.Scope, two.leave());
        try expect((try gpustream.currentStream(gpustream.current)).eql(outer));
    }
    try expect((try gpustream.currentStream(gpustream.current)).eql(before));
    try expectError(error.InvalidHandle, Scope.enter(.{}));
}

test "functions in streams and limits" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const mark = try Event.init(0);
    defer mark.deinit();
    var held: Held = .{};
    try work.launchHost(&held, Held.wait);
    try work.launchHost(&held, Held.count);
    try work.record(mark);
    try expect(!try mark.query());
    try expectError(error.Timeout, mark.synchronizeFor(1000));
    try expectError(error.Timeout, work.synchronizeFor(0));
    try work.notify(&held, Held.end);
    held.open.store(true, .release);
    try work.synchronizeFor(std.math.maxInt(u64));
    try expect(held.called.load(.monotonic) == 1);
    while (held.ended.load(.acquire) == 0) std.atomic.spinLoopHint();
    try expect(held.ended.load(.acquire) == 1);
    try expectError(error.InvalidHandle, (Stream{}).launchHost(&held, Held.count));
}

test "raw handles" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const wrapped = try Stream.fromNative(0, try work.native());
    defer wrapped.deinit();
    try expect(wrapped.eql(work));
    const mark = try Event.init(0);
    defer mark.deinit();
    try Stream.current.record(mark);
    try expect(try mark.device() == 0);
    try expect(try mark.native() != 0);
}

test {
    _ = @import("buffer_test.zig");
    _ = @import("check_test.zig");
    _ = @import("graph_test.zig");
    _ = @import("partition_test.zig");
    _ = @import("pool_test.zig");
    _ = @import("stream_pool_test.zig");
    _ = @import("work_test.zig");
}
