// SPDX-License-Identifier: Apache-2.0
//! The ordering checker, names, and threads that may not wait.
const std = @import("std");
const gpustream = @import("gpustream");
const checker = gpustream.checker;
const Stream = gpustream.Stream;
const expect = std.testing.expect;
const expectError = std.testing.expectError;

/// What was reported: how often, and the last text and JSON.
const Reports = struct {
    count: u32 = 0,
    text: [4096]u8 = undefined,
    json: [4096]u8 = undefined,
    lengths: [2]usize = .{ 0, 0 },

    fn take(self: *Reports, text: [:0]const u8, json: [:0]const u8) void {
        self.count += 1;
        for ([_][]const u8{ text, json }, [_][]u8{ &self.text, &self.json }, &self.lengths) |from, to, *length| {
            length.* = @min(from.len, to.len);
            @memcpy(to[0..length.*], from[0..length.*]);
        }
    }
    fn says(self: *const Reports, part: []const u8) bool {
        return std.mem.indexOf(u8, self.text[0..self.lengths[0]], part) != null;
    }
};

test "the checker reports what nothing orders" {
    const upload = try Stream.init(.{});
    defer upload.deinit();
    const compute = try Stream.init(.{});
    defer compute.deinit();
    const ready = try gpustream.Event.init(0);
    defer ready.deinit();
    try upload.setName("upload");
    try compute.setName("compute");
    var bytes: [64]u8 = undefined;
    var reports: Reports = .{};
    try checker.setCallback(&reports, Reports.take);
    defer checker.resetCallback() catch unreachable;
    try checker.start(0);
    defer checker.stop();
    try checker.write(upload, &bytes, bytes.len, "copy in");
    try upload.record(ready);
    try compute.wait(ready);
    try checker.read(compute, @as([]const u8, &bytes), bytes.len, "ordered");
    try expect(reports.count == 0);
    try checker.write(upload, &bytes, 8, "too early");
    try expect(reports.count == 1);
    for ([_][]const u8{ "upload", "compute", "ordered", "too early" }) |part| try expect(reports.says(part));
    try expect(reports.json[0] == '{' and reports.json[reports.lengths[1] - 1] == '}');
}

test "nodes of graphs declare what they access" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const made = try gpustream.Graph.init(0);
    defer made.deinit();
    const first = try made.addEmpty(&.{});
    const second = try made.addEmpty(&.{});
    var bytes: [64]u8 = undefined;
    var reports: Reports = .{};
    try checker.setCallback(&reports, Reports.take);
    defer checker.resetCallback() catch unreachable;
    try checker.start(0);
    defer checker.stop();
    try made.checkWrite(first, &bytes, bytes.len, "producer");
    try made.checkRead(second, @as([]const u8, &bytes), 8, "consumer");
    try expectError(error.InvalidArgument, made.checkRead(0, &bytes, 1, null));
    try expect(reports.count == 0);
    const runs = try made.instantiate(0);
    defer runs.deinit();
    try runs.launch(work);
    try expect(reports.count == 1);
    for ([_][]const u8{ "producer", "consumer" }) |part| try expect(reports.says(part));
    try work.synchronize();
}

test "clocks hand over" {
    const one = try Stream.init(.{});
    defer one.deinit();
    const two = try Stream.init(.{});
    defer two.deinit();
    var byte: u8 = 0;
    var reports: Reports = .{};
    try checker.setCallback(&reports, Reports.take);
    defer checker.resetCallback() catch unreachable;
    try checker.start(0);
    defer checker.stop();
    var clock: checker.Clock = .{};
    try checker.write(one, &byte, 1, null);
    try one.synchronize();
    try clock.handover();
    try expect(clock.number != 0);
    try checker.write(two, &byte, 1, null);
    try expect(reports.count == 0);
}

test "the checker refuses" {
    var byte: u8 = 0;
    const nothing: Stream = .{};
    try expectError(error.InvalidHandle, checker.read(nothing, &byte, 1, null));
    try expectError(error.InvalidHandle, nothing.setName("x"));
    try expectError(error.InvalidHandle, (gpustream.Event{}).setName("x"));
    try expectError(error.InvalidHandle, (gpustream.Graph{}).setName("x"));
}

test "names are shown in errors" {
    const mark = try gpustream.Event.init(0);
    try mark.setName("uploaded");
    mark.deinit();
    try expectError(error.InvalidHandle, mark.synchronize());
    const detail = gpustream.lastError();
    try expect(std.mem.indexOf(u8, detail.message(), "uploaded") != null);
    const graph = try gpustream.Graph.init(0);
    defer graph.deinit();
    try graph.setName("step");
    try graph.setName(null);
}

fn waitFor(stream: Stream, result: *gpustream.Error!void) void {
    result.* = stream.synchronize();
}

test "waits are forbidden for a thread and a block" {
    const work = try Stream.init(.{});
    defer work.deinit();
    {
        const outer = try gpustream.ForbidSync.enter();
        defer outer.deinit();
        {
            const inner = try gpustream.ForbidSync.enter();
            defer inner.deinit();
            try expectError(error.SyncForbidden, work.synchronize());
        }
        try expectError(error.SyncForbidden, work.synchronizeFor(0));
        _ = try work.query();
        var elsewhere: gpustream.Error!void = error.Internal;
        const thread = try std.Thread.spawn(.{}, waitFor, .{ work, &elsewhere });
        thread.join();
        try elsewhere;
    }
    try work.synchronize();
}

test "ranges end with their block" {
    {
        const outer = try gpustream.Range.enter("outer");
        defer outer.deinit();
        const inner = try gpustream.Range.enter("inner");
        defer inner.deinit();
        try gpustream.mark("a moment");
    }
    try std.testing.expectError(error.Scope, gpustream.check(gpustream.raw.gs_range_pop()));
}
