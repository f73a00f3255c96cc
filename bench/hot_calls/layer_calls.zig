// SPDX-License-Identifier: Apache-2.0
//! The same calls as the C functions and as the package has them, for bench/instructions --zig: each part is one call,
//! repeated, with its status checked.
const std = @import("std");
const gpustream = @import("gpustream");
const raw = gpustream.raw;

const repeat = 1000; // REPEAT of bench/instructions
var a: gpustream.Stream = .{};
var b: gpustream.Stream = .{};
var mark: gpustream.Event = .{};
var done: gpustream.Event = .{};
var flag: i32 = 0;
var sink: i32 = 0;

// The standard library's start and panics would be most of the program, and of the time to compile it.
pub const panic = std.debug.no_panic;

noinline fn failed() noreturn {
    @branchHint(.cold);
    const detail = gpustream.lastError();
    _ = std.c.printf("layer_calls: %s\n", @as([*:0]const u8, @ptrCast(&detail.info.message)));
    std.c.exit(1);
}

inline fn c(status: raw.gs_status_t) void {
    if (status != raw.GS_OK) failed();
}

const bodies = struct {
    inline fn empty_loop(_: i32) void {
        asm volatile ("");
    }
    inline fn c_record(_: i32) void {
        c(raw.gs_stream_record_event(a.handle, mark.handle));
    }
    inline fn zig_record(_: i32) void {
        a.record(mark) catch failed();
    }
    inline fn c_wait(_: i32) void {
        c(raw.gs_stream_wait_event(b.handle, done.handle));
    }
    inline fn zig_wait(_: i32) void {
        b.wait(done) catch failed();
    }
    inline fn c_query(i: i32) void {
        var out: i32 = undefined;
        c(raw.gs_event_query(done.handle, &out));
        if (out != 0) flag = i;
    }
    inline fn zig_query(i: i32) void {
        if (done.query() catch failed()) flag = i;
    }
    inline fn c_synchronize(_: i32) void {
        c(raw.gs_event_synchronize(done.handle));
    }
    inline fn zig_synchronize(_: i32) void {
        done.synchronize() catch failed();
    }
    inline fn c_scope(_: i32) void {
        var scope: u64 = undefined;
        c(raw.gs_push_current_stream(a.handle, &scope));
        c(raw.gs_pop_current_stream(scope));
    }
    inline fn zig_scope(_: i32) void {
        const entered = gpustream.Scope.enter(a) catch failed();
        entered.leave() catch failed();
    }
};

/// A function of its own for each part, so that the compiler cannot move a call out of the loop or know its operands.
fn Part(comptime name: []const u8) type {
    return struct {
        fn run() callconv(.c) void {
            for (0..repeat) |i| @field(bodies, name)(@intCast(i));
            @as(*volatile i32, &sink).* = 0;
        }
    };
}

fn end() callconv(.c) void {
    asm volatile ("");
}

const names = .{
    "empty_loop", "c_record",      "zig_record",      "c_wait",  "zig_wait",  "c_query",
    "zig_query",  "c_synchronize", "zig_synchronize", "c_scope", "zig_scope",
};

comptime {
    for (names) |name| @export(&Part(name).run, .{ .name = "part_" ++ name });
    @export(&end, .{ .name = "part_end" });
}

fn prepare() !void {
    a = try gpustream.Stream.init(.{});
    b = try gpustream.Stream.init(.{});
    mark = try gpustream.Event.init(0);
    done = try gpustream.Event.init(0);
    try a.record(done);
    try done.synchronize();
    try gpustream.setCurrentDevice(0);
}

pub export fn main() c_int {
    prepare() catch failed();
    // The last dump of a part counts: pools are warm by then.
    for (0..2) |_| {
        inline for (names) |name| @call(.never_inline, Part(name).run, .{});
    }
    @call(.never_inline, end, .{});
    return 0;
}
