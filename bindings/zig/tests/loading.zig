// SPDX-License-Identifier: Apache-2.0
//! A program whose library has another ABI: each first call is error.WrongAbi. Prints what is wrong with the library.
const std = @import("std");
const gpustream = @import("gpustream");
const expectError = std.testing.expectError;

pub fn main() !void {
    const wrong = error.WrongAbi;
    try expectError(wrong, gpustream.library.check());
    try expectError(wrong, gpustream.Stream.init(.{}));
    try expectError(wrong, gpustream.Stream.fromNative(0, 0));
    try expectError(wrong, gpustream.currentStream(gpustream.current));
    try expectError(wrong, gpustream.defaultStream(gpustream.current));
    try expectError(wrong, gpustream.Event.init(0));
    try expectError(wrong, gpustream.Event.fromNative(0, 0));
    try expectError(wrong, gpustream.TimedEvent.init(0));
    try expectError(wrong, gpustream.Timeline.init(.{}));
    try expectError(wrong, gpustream.CompletionQueue.init(4));
    try expectError(wrong, gpustream.Graph.init(gpustream.current));
    try expectError(wrong, gpustream.Graph.fromNative(0, 0));
    try expectError(wrong, gpustream.Module.init(0, "image"));
    try expectError(wrong, gpustream.HostBuffer.init(8));
    try expectError(wrong, gpustream.Buffer.init(gpustream.Stream.current, 8));
    try expectError(wrong, gpustream.Pool.init(.{}));
    try expectError(wrong, gpustream.Pool.ofDevice(0));
    try expectError(wrong, gpustream.Pool.current(0));
    try expectError(wrong, gpustream.random.seed(0, 1));
    try expectError(wrong, gpustream.random.getState(0));
    try expectError(wrong, gpustream.random.setState(0, .{}));
    try expectError(wrong, gpustream.Partition.init(1, .{}));
    try expectError(wrong, gpustream.Partition.split(2, .{ 1, 1 }, .{}));
    try expectError(wrong, gpustream.Range.enter("refused"));
    try expectError(wrong, gpustream.mark("refused"));
    try expectError(wrong, gpustream.DeviceInfo.of(0));
    try expectError(wrong, gpustream.DeviceScope.enter(0));
    try expectError(wrong, gpustream.deviceCount(0));
    try expectError(wrong, gpustream.currentDevice());
    try expectError(wrong, gpustream.setCurrentDevice(0));
    var buffer: [4200]u8 = undefined;
    const text = gpustream.library.describe(&buffer);
    var short: [20]u8 = undefined;
    try std.testing.expectEqualStrings(text[0..20], gpustream.library.describe(&short));
    std.debug.print("error.{s}: {s}\n", .{ @errorName(wrong), text });
}
