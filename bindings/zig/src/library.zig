// SPDX-License-Identifier: Apache-2.0
//! The library that the program has been linked with, as it is in this process.
const std = @import("std");
const raw = @import("raw.zig");

const c = struct {
    const Found = extern struct { file: ?[*:0]const u8, base: ?*anyopaque, symbol: ?[*:0]const u8, address: ?*anyopaque };
    extern fn dlsym(handle: ?*anyopaque, name: [*:0]const u8) ?*anyopaque;
    extern fn dladdr(address: ?*const anyopaque, found: *Found) c_int;
};

var known: std.atomic.Value(bool) = .init(false);

/// error.WrongAbi if the library is not one that `raw` describes. Every function that makes an object asks this, so that it
/// is the first call's error.
pub inline fn check() error{WrongAbi}!void {
    if (!known.load(.monotonic)) try look();
}

fn look() error{WrongAbi}!void {
    @branchHint(.cold);
    if (raw.gs_abi_version() != raw.GS_ABI_VERSION) return error.WrongAbi;
    known.store(true, .monotonic);
}

/// The file of the library; "" if the loader does not know it.
pub fn path() []const u8 {
    var found: c.Found = undefined;
    // The address in the program itself may be that of a stub of the linker.
    const address = c.dlsym(null, "gs_abi_version") orelse return "";
    if (c.dladdr(address, &found) == 0) return "";
    return if (found.file) |file| std.mem.span(file) else "";
}

/// As in "0.1.0".
pub fn version() []const u8 {
    return std.mem.span(raw.gs_version_string());
}

/// What is wrong, after error.WrongAbi: which file, its ABI version and the one that is wanted. Cut to the buffer.
pub fn describe(buffer: []u8) []const u8 {
    var writer: std.Io.Writer = .fixed(buffer);
    // A buffer that is too short is filled.
    writer.print("{s}: its ABI version is {d}, wanted is {d}", .{ path(), raw.gs_abi_version(), raw.GS_ABI_VERSION }) catch {};
    return writer.buffered();
}
