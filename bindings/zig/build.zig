// SPDX-License-Identifier: Apache-2.0
//! The module `gpustream`. It links libgpustream.so, which -Dlibrary=FILE names, or the system's.
const std = @import("std");

pub fn build(b: *std.Build) void {
    const target = b.standardTargetOptions(.{});
    const optimize = b.standardOptimizeOption(.{});
    const module = b.addModule("gpustream", .{
        .root_source_file = b.path("src/gpustream.zig"),
        .target = target,
        .optimize = optimize,
        .link_libc = true,
    });
    if (b.option([]const u8, "library", "The file libgpustream.so.0")) |file| {
        module.addObjectFile(.{ .cwd_relative = file });
    } else {
        module.linkSystemLibrary("gpustream", .{});
    }
}
