// SPDX-License-Identifier: Apache-2.0
//! Drives a file through a device in chunks (copy-in, a kernel that computes CRC-32 and byte histogram, copy-out) on several
//! streams, ordered by events, and checks the result against a sequential pass.
//!
//!   pipeline FILE KERNELS [STREAMS [CHUNK]]
//!
//! The kernel is that of examples/pipeline in the repository: pipeline_kernels.so for the host backend, kernels.ptx for CUDA.
//! Exit status: 0 the result is right, 1 it is wrong, 2 a call failed.
const std = @import("std");
const gpustream = @import("gpustream");
const Digest = @import("digest.zig").Digest;
const lane = @import("lane.zig");
const Run = @import("run.zig").Run;

const usage = "usage: pipeline FILE KERNELS [1..64 streams [bytes of a chunk]]";

fn number(arguments: []const [:0]const u8, position: usize, otherwise: u64, most: u64) !u64 {
    if (arguments.len <= position) return otherwise;
    const found = std.fmt.parseInt(u64, arguments[position], 10) catch return error.Usage;
    return if (found >= 1 and found <= most) found else error.Usage;
}

fn sequentialPass(run: *Run, buffer: []u8) !Digest {
    var digest: Digest = .{};
    while (digest.bytes < run.length) {
        const piece = buffer[0..@min(buffer.len, run.length - digest.bytes)];
        try run.read(piece, digest.bytes);
        digest.update(piece);
    }
    return digest;
}

fn pipeline(init: std.process.Init) !u8 {
    const arena = init.arena.allocator();
    const arguments = try init.minimal.args.toSlice(arena);
    if (arguments.len < 3 or arguments.len > 5) return error.Usage;
    const streams = try number(arguments, 3, 6, 64);
    const chunk = try number(arguments, 4, 4 << 20, 1 << 30);
    const io = init.io;
    const file = try std.Io.Dir.cwd().openFile(io, arguments[1], .{});
    defer file.close(io);
    const length = (try file.stat(io)).size;
    if (length == 0) return error.FileIsEmpty;

    const module = try gpustream.Module.fromFile(0, arguments[2]);
    defer module.deinit();
    const kernel = try module.kernel("crc_and_histogram");
    var run: Run = .{ .io = io, .file = file, .length = length, .chunk = @min(chunk, length), .kernel = kernel, .result = .{ .bytes = length } };
    const expected = try sequentialPass(&run, try arena.alloc(u8, 1 << 20));
    const start = std.Io.Clock.awake.now(io);
    try run.all(lane.work, arena, streams);
    const ns = @max(1, start.durationTo(std.Io.Clock.awake.now(io)).toNanoseconds());
    if (run.failure) |failure| {
        describe(failure, &run.detail);
        return 2;
    }

    const info = try gpustream.DeviceInfo.of(0);
    var room: [1024]u8 = undefined;
    var writer: std.Io.File.Writer = .init(.stdout(), io, &room);
    const out = &writer.interface;
    try out.print("{d} streams on {s}\n", .{ streams, info.name() });
    const seconds = @as(f64, @floatFromInt(ns)) / 1e9;
    try out.print("{d:.3} s, {d:.2} GB/s\n", .{ seconds, @as(f64, @floatFromInt(length)) / seconds / 1e9 });
    const found = &run.result;
    const right = found.raw == expected.raw and std.mem.eql(u64, &found.histogram, &expected.histogram);
    if (right) try out.print("CRC-32 {x:0>8} and histogram agree with a sequential pass over {d} bytes\n", .{ found.crc32(), length });
    try out.flush();
    if (!right) std.debug.print("the result is wrong: CRC-32 {x:0>8}, wanted {x:0>8}\n", .{ found.crc32(), expected.crc32() });
    return if (right) 0 else 1;
}

/// A failure of a call has a text; the others have their name.
fn describe(failure: anyerror, detail: *const gpustream.Detail) void {
    if (gpustream.check(detail.info.status)) {
        std.debug.print("pipeline: {s}\n", .{@errorName(failure)});
    } else |recorded| {
        if (recorded == failure) {
            std.debug.print("pipeline: {s}: {s}\n", .{ @errorName(failure), detail.message() });
        } else {
            std.debug.print("pipeline: {s}\n", .{@errorName(failure)});
        }
    }
}

pub fn main(init: std.process.Init) u8 {
    return pipeline(init) catch |failure| {
        if (failure == error.Usage) {
            std.debug.print("pipeline: " ++ usage ++ "\n", .{});
        } else {
            describe(failure, &gpustream.lastError());
        }
        return 2;
    };
}
