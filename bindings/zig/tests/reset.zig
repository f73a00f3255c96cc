// SPDX-License-Identifier: Apache-2.0
//! In a process of its own: the other tests need the device.
const std = @import("std");
const gpustream = @import("gpustream");
const Stream = gpustream.Stream;
const expectError = std.testing.expectError;

test "a reset device" {
    const lost = try Stream.init(.{ .device = 1 });
    defer lost.deinit();
    try lost.sleep(1000);
    try gpustream.resetDevice(1);
    try expectError(error.ContextLost, lost.query());
}
