// SPDX-License-Identifier: Apache-2.0
//! Buffers and the streams in which they are used.
const std = @import("std");
const gpustream = @import("gpustream");
const support = @import("support.zig");
const Buffer = gpustream.Buffer;
const Scope = gpustream.Scope;
const Stream = gpustream.Stream;
const expect = std.testing.expect;
const expectEqual = std.testing.expectEqual;
const expectError = std.testing.expectError;

/// A stream that is held until it is opened.
const Gate = struct {
    stream: Stream,
    held: support.Held = .{},

    fn hold(self: *Gate) !void {
        try self.stream.launchHost(&self.held, support.Held.wait);
    }
    fn open(self: *Gate) void {
        self.held.open.store(true, .release);
    }
    fn end(self: *Gate) void {
        self.open();
        self.stream.synchronize() catch unreachable;
        self.stream.deinit();
    }
};

fn expectContents(wanted: []const u8, memory: *Buffer, on: Stream) !void {
    var found: [8]u8 = undefined;
    try on.copy(found[0..wanted.len], memory, wanted.len);
    try on.synchronize();
    try std.testing.expectEqualSlices(u8, wanted, found[0..wanted.len]);
}

test "the current stream of the buffer's device, or a named one" {
    var there: Gate = .{ .stream = try Stream.init(.{ .device = 1 }) };
    defer there.end();
    const named = try Stream.init(.{ .device = 1 });
    defer named.deinit();
    const here = try Stream.init(.{ .device = 0 });
    defer here.deinit();
    var memory = try Buffer.init(named, 4);
    defer memory.deinit();
    var source = try Buffer.init(named, 2);
    defer source.deinit();
    try named.fill(&source, 1, 2);
    try there.hold();
    {
        const outer = try Scope.enter(there.stream);
        defer outer.deinit();
        const inner = try Scope.enter(here);
        defer inner.deinit();
        try Stream.current.fill(&memory, 2, 4);
        try Stream.current.copy(&memory, &source, 2);
    }
    try expect(try here.query());
    try named.fill(&memory, 3, 4);
    try expectContents(&.{ 3, 3, 3, 3 }, &memory, named);
    there.open();
    try expectContents(&.{ 1, 1, 2, 2 }, &memory, there.stream);
    try expectError(error.InvalidHandle, (Stream{}).fill(&memory, 1, 4));
}

test "the first use elsewhere waits for the allocation" {
    var own: Gate = .{ .stream = try Stream.init(.{}) };
    defer own.end();
    const other = try Stream.init(.{});
    defer other.deinit();
    try own.hold();
    var memory = try Buffer.init(own.stream, 8);
    defer memory.deinit();
    try other.fill(&memory, 1, 8);
    try expect(!try other.query());
    own.open();
    try other.synchronize();
    own.held.open.store(false, .release);
    try own.hold();
    const late = try Stream.init(.{});
    defer late.deinit();
    try late.fill(&memory, 2, 8); // the allocation is known to be done
    try late.synchronize();
    try expect(!try own.stream.query());
}

test "memory is freed behind all streams that use it" {
    for ([_]bool{ false, true }) |by_address| {
        const own = try Stream.init(.{});
        defer own.deinit();
        var user: Gate = .{ .stream = try Stream.init(.{}) };
        defer user.end();
        var source = try Buffer.init(own, 8);
        var target = try Buffer.init(user.stream, 8);
        defer target.deinit();
        try own.fill(&source, 7, 8);
        try own.synchronize();
        try user.hold();
        const address = source.address;
        if (by_address) {
            try source.recordStream(user.stream);
            try user.stream.copy(&target, address, 8);
        } else try user.stream.copy(&target, &source, 8);
        source.deinit();
        var next = try Buffer.init(own, 8); // at once, in the order of the other stream
        defer next.deinit();
        try expect(next.address != address);
        try own.fill(&next, 9, 8);
        try own.synchronize();
        user.open();
        try expectContents(&@as([8]u8, @splat(7)), &target, user.stream);
    }
}

/// What another thread does in its per-thread stream.
const Elsewhere = struct {
    pool: gpustream.Pool,
    seen: gpustream.HostBuffer,
    memory: Buffer = undefined,
    held: support.Held = .{},

    fn own() !Stream {
        var found: Stream = .{};
        try gpustream.check(gpustream.raw.gs_per_thread_stream(gpustream.raw.GS_DEVICE_CURRENT, &found.handle));
        return found;
    }
    fn make(self: *Elsewhere) !void {
        const stream = try own();
        self.memory = try Buffer.initFrom(self.pool, stream, 8);
        try stream.fill(&self.memory, 7, 8);
        try stream.launchHost(&self.held, support.Held.wait);
        try stream.copy(self.seen, &self.memory, 8);
    }
};

test "memory of a per-thread stream is freed behind that of its thread" {
    const poisoned = try gpustream.Pool.init(.{ .flags = gpustream.raw.GS_POOL_POISON }); // shows when it is freed
    defer poisoned.deinit();
    const seen = try gpustream.HostBuffer.init(8);
    defer seen.deinit();
    var there: Elsewhere = .{ .pool = poisoned, .seen = seen };
    const thread = try std.Thread.spawn(.{}, Elsewhere.make, .{&there});
    thread.join();
    there.memory.deinit();
    try (try Elsewhere.own()).synchronize();
    there.held.open.store(true, .release);
    try gpustream.synchronizeDevice(gpustream.current);
    try expectEqual(7, seen.bytes[0]);
}

test "a capture records what its stream is current for" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const own = try Stream.init(.{});
    defer own.deinit();
    try own.sleep(20_000_000);
    var memory = try Buffer.init(own, 4);
    defer memory.deinit();
    const scope = try Scope.enter(work);
    defer scope.deinit();
    try work.beginCapture(gpustream.raw.GS_CAPTURE_RELAXED);
    try Stream.current.fill(&memory, 5, 4); // the host waits for the allocation, which no graph can
    try expect(try own.query());
    var inside = try Buffer.init(work, 4); // the graph's
    const side = try Stream.init(.{});
    defer side.deinit();
    try side.wait(work);
    try expectError(error.Capturing, own.fill(&inside, 6, 2));
    try side.fill(&inside, 6, 2); // behind the node that allocates
    try side.copy(&memory, &inside, 2);
    inside.deinit();
    try work.wait(side);
    const graph = try work.endCapture();
    defer graph.deinit();
    try own.fill(&memory, 1, 4);
    try expectContents(&.{ 1, 1, 1, 1 }, &memory, own);
    const exec = try graph.instantiate(0);
    defer exec.deinit();
    for (0..2) |_| try exec.launch(work);
    try expectContents(&.{ 6, 6, 5, 5 }, &memory, work);
}

test "no bytes take part in everything" {
    const other = try Stream.init(.{});
    defer other.deinit();
    var nothing = try Buffer.init(Stream.current, 0);
    var more = try Buffer.init(other, 0);
    const host = try gpustream.HostBuffer.init(0);
    defer host.deinit();
    try expectEqual(null, nothing.address);
    try other.fill(&nothing, 1, 0);
    try Stream.current.copy(&more, &nothing, 0);
    try other.copy(host, &nothing, 0);
    try nothing.deinitAfter(.{other});
    more.deinit();
}

test "streams that are done are forgotten" {
    var memory = try Buffer.init(Stream.current, 8);
    defer memory.deinit();
    const recorded = try Stream.init(.{});
    try memory.recordStream(recorded);
    recorded.deinit();
    for (0..40) |_| {
        const work = try Stream.init(.{});
        defer work.deinit();
        try work.fill(&memory, 1, 8);
        try work.synchronize();
    }
    try expect(memory.users.all.items.len < 36);
    try expect(try recorded.query()); // it may be given work at any time
}

const Owned = struct {
    stream: Stream,
    event: gpustream.Event,
    buffers: [3]Buffer,

    fn end(self: *Owned) void {
        self.stream.deinit();
        self.event.deinit();
        for (self.buffers) |one| one.deinit();
    }
};

test "what ends in a host function is ended elsewhere" {
    const work = try Stream.init(.{});
    defer work.deinit();
    const counted = try gpustream.Pool.init(.{});
    defer counted.deinit();
    var owned: Owned = .{ .stream = try Stream.init(.{}), .event = try gpustream.Event.init(0), .buffers = undefined };
    for (&owned.buffers, [_]usize{ 64, 64, 0 }) |*one, bytes| one.* = try Buffer.initFrom(counted, work, bytes);
    for (owned.buffers[1..]) |*one| try one.recordStream(owned.stream);
    try work.launchHost(&owned, Owned.end);
    try work.synchronize();
    var rounds: usize = 0; // other threads end them
    while (rounds < 1_000_000) : (rounds += 1) {
        const stream_lives = if (owned.stream.query()) |_| true else |_| false;
        const event_lives = if (owned.event.query()) |_| true else |_| false;
        if (!stream_lives and !event_lives and (try counted.stats()).blocks == 0) break;
    }
    try expectError(error.InvalidHandle, owned.stream.query());
    try expectError(error.InvalidHandle, owned.event.query());
    try expectEqual(0, (try counted.stats()).blocks);
}
