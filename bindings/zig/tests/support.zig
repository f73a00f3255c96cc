// SPDX-License-Identifier: Apache-2.0
//! What tests of several files use.
const std = @import("std");
const gpustream = @import("gpustream");

/// Holds a stream until it is opened, and counts calls.
pub const Held = struct {
    open: std.atomic.Value(bool) = .init(false),
    called: std.atomic.Value(u32) = .init(0),
    ended: std.atomic.Value(u32) = .init(0),

    pub fn wait(self: *Held) void {
        while (!self.open.load(.acquire)) std.atomic.spinLoopHint();
    }
    pub fn count(self: *Held) void {
        _ = self.called.fetchAdd(1, .monotonic);
    }
    pub fn end(self: *Held, result: gpustream.Error!void) void {
        self.ended.store(if (result) 1 else |_| 2, .release);
    }
};

/// The kernels of tests/parity/native.c, which the test's environment names.
pub fn kernels() ![:0]const u8 {
    const path = std.c.getenv("GPUSTREAM_TEST_NATIVE") orelse return error.NoKernelsNamed;
    return std.mem.span(path);
}
