// SPDX-License-Identifier: Apache-2.0
//! Prints what calls cost from Zig beside the same calls in a loop of C (bench/languages/loops.c), in rounds that alternate
//! between them: nanoseconds for each, the medians of the rounds; the median of the rounds' differences, which a busy machine
//! disturbs least because the halves of a round are a fraction of a millisecond apart; and what the fastest rounds of both
//! differ by.   bench/languages/run zig
const std = @import("std");
const gpustream = @import("gpustream");
const raw = gpustream.raw;
const Stream = gpustream.Stream;
const Event = gpustream.Event;

const calls = 1000;
const rounds = 801;

extern fn loop_record(n: i64, stream: raw.gs_stream_t, event: raw.gs_event_t) raw.gs_status_t;
extern fn loop_wait(n: i64, stream: raw.gs_stream_t, event: raw.gs_event_t) raw.gs_status_t;
extern fn loop_query(n: i64, event: raw.gs_event_t) raw.gs_status_t;
extern fn loop_scope(n: i64, stream: raw.gs_stream_t) raw.gs_status_t;
extern fn loop_event(n: i64) raw.gs_status_t;
extern fn loop_stream(n: i64) raw.gs_status_t;

const Objects = struct { a: Stream, b: Stream, mark: Event };
const Row = struct { name: []const u8, c: *const fn (Objects, i64) raw.gs_status_t, zig: *const fn (Objects, i64) anyerror!void };

const in_c = struct {
    fn record(o: Objects, n: i64) raw.gs_status_t {
        return loop_record(n, o.a.handle, o.mark.handle);
    }
    fn wait(o: Objects, n: i64) raw.gs_status_t {
        return loop_wait(n, o.b.handle, o.mark.handle);
    }
    fn query(o: Objects, n: i64) raw.gs_status_t {
        return loop_query(n, o.mark.handle);
    }
    fn scope(o: Objects, n: i64) raw.gs_status_t {
        return loop_scope(n, o.a.handle);
    }
    fn event(_: Objects, n: i64) raw.gs_status_t {
        return loop_event(n);
    }
    fn stream(_: Objects, n: i64) raw.gs_status_t {
        return loop_stream(n);
    }
};

const in_zig = struct {
    fn record(o: Objects, n: i64) !void {
        var i: i64 = 0;
        while (i < n) : (i += 1) try o.a.record(o.mark);
    }
    fn wait(o: Objects, n: i64) !void {
        var i: i64 = 0;
        while (i < n) : (i += 1) try o.b.wait(o.mark);
    }
    fn query(o: Objects, n: i64) !void {
        var i: i64 = 0;
        while (i < n) : (i += 1) if (!try o.mark.query()) return error.NotDone;
    }
    fn scope(o: Objects, n: i64) !void {
        var i: i64 = 0;
        while (i < n) : (i += 1) {
            const entered = try gpustream.Scope.enter(o.a);
            try entered.leave();
        }
    }
    fn event(_: Objects, n: i64) !void {
        var i: i64 = 0;
        while (i < n) : (i += 1) {
            const made = try Event.init(0);
            made.deinit();
        }
    }
    fn stream(_: Objects, n: i64) !void {
        var i: i64 = 0;
        while (i < n) : (i += 1) {
            const made = try Stream.init(.{});
            made.deinit();
        }
    }
};

const rows = [_]Row{
    .{ .name = "record", .c = in_c.record, .zig = in_zig.record },
    .{ .name = "wait", .c = in_c.wait, .zig = in_zig.wait },
    .{ .name = "query", .c = in_c.query, .zig = in_zig.query },
    .{ .name = "scope", .c = in_c.scope, .zig = in_zig.scope },
    .{ .name = "event create, close", .c = in_c.event, .zig = in_zig.event },
    .{ .name = "stream create, close", .c = in_c.stream, .zig = in_zig.stream },
};

/// One form of a row.
const Form = union(enum) {
    c: *const fn (Objects, i64) raw.gs_status_t,
    zig: *const fn (Objects, i64) anyerror!void,

    fn once(self: Form, objects: Objects, n: i64) !void {
        switch (self) {
            .c => |call| try gpustream.check(call(objects, n)),
            .zig => |call| try call(objects, n),
        }
    }
    /// Nanoseconds a call, after some that warm up.
    fn measured(self: Form, io: std.Io, objects: Objects) !f64 {
        try self.once(objects, calls / 10);
        const start = std.Io.Clock.awake.now(io);
        try self.once(objects, calls);
        const ns: f64 = @floatFromInt(start.durationTo(std.Io.Clock.awake.now(io)).toNanoseconds());
        return ns / calls;
    }
};

fn median(times: []f64) f64 {
    std.mem.sort(f64, times, {}, std.sort.asc(f64));
    return times[times.len / 2];
}

pub fn main(init: std.process.Init) !void {
    const objects: Objects = .{ .a = try Stream.init(.{}), .b = try Stream.init(.{}), .mark = try Event.init(0) };
    const info = try gpustream.DeviceInfo.of(gpustream.current);
    std.debug.print("{s}, Zig {s}\n{s:<22}{s:>10}{s:>10}{s:>10}{s:>10}\n", .{ info.name(), @import("builtin").zig_version_string, "ns per call", "C", "Zig", "over C", "fastest" });
    for (rows) |row| {
        var times: [3][rounds]f64 = undefined;
        try objects.a.record(objects.mark);
        try objects.mark.synchronize();
        for (0..rounds) |round| {
            // Each goes first in every other round.
            if (round % 2 == 0) times[0][round] = try (Form{ .c = row.c }).measured(init.io, objects);
            times[1][round] = try (Form{ .zig = row.zig }).measured(init.io, objects);
            if (round % 2 == 1) times[0][round] = try (Form{ .c = row.c }).measured(init.io, objects);
            times[2][round] = times[1][round] - times[0][round];
            try objects.a.synchronize();
            try objects.b.synchronize();
        }
        const c = median(&times[0]);
        const zig = median(&times[1]);
        const fastest = times[1][0] - times[0][0]; // median() has sorted them
        std.debug.print("{s:<22}{d:>10.1}{d:>10.1}{d:>10.1}{d:>10.1}\n", .{ row.name, c, zig, median(&times[2]), fastest });
    }
}
