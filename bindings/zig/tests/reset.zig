// SPDX-License-Identifier: Apache-2.0
//! In a process of its own: the other tests need the device.
const std = @import("std");
const gpustream = @import("gpustream");
const Stream = gpustream.Stream;
const expectError = std.testing.expectError;

test "a reset device" {
    const lost = try Stream.init(.{ .device = 1 });
    const work = try Stream.init(.{ .device = 0 });
    defer work.deinit();
    try lost.sleep(1000);
    try gpustream.resetDevice(1);
    try expectError(error.ContextLost, Stream.init(.{ .device = 1 }));
    try expectError(error.ContextLost, lost.query());
    try expectError(error.ContextLost, gpustream.resetDevice(1));
    try expectError(error.InvalidDevice, gpustream.resetDevice(7));
    lost.deinit();
    try work.sleep(1000);
    try work.synchronize(); // not reset
}
