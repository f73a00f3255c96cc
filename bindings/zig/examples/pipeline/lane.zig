// SPDX-License-Identifier: Apache-2.0
//! A thread and its streams: copy-in, kernel and copy-out overlap and are ordered by events alone.
const std = @import("std");
const gpustream = @import("gpustream");
const digests = @import("digest.zig");
const Run = @import("run.zig").Run;
const Stream = gpustream.Stream;

/// The buffers of a chunk and the events at the ends of its stages.
const Slot = struct {
    offset: u64 = 0, // of the chunk in progress
    bytes: u64 = 0,
    input: gpustream.HostBuffer,
    result: gpustream.HostBuffer,
    device_input: gpustream.Buffer,
    device_result: gpustream.Buffer,
    copied_in: gpustream.Event,
    computed: gpustream.Event,
    copied_out: gpustream.Event,

    fn init(owner: Stream, chunk: u64) !Slot {
        const result_bytes = 4 * digests.resultWords(chunk);
        const input = try gpustream.HostBuffer.init(chunk);
        errdefer input.deinit();
        const result = try gpustream.HostBuffer.init(result_bytes);
        errdefer result.deinit();
        const device_input = try gpustream.Buffer.init(owner, chunk);
        errdefer device_input.deinit();
        const device_result = try gpustream.Buffer.init(owner, result_bytes);
        errdefer device_result.deinit();
        const copied_in = try gpustream.Event.init(gpustream.raw.GS_EVENT_BLOCKING);
        errdefer copied_in.deinit();
        const computed = try gpustream.Event.init(0);
        errdefer computed.deinit();
        return .{
            .input = input,
            .result = result,
            .device_input = device_input,
            .device_result = device_result,
            .copied_in = copied_in,
            .computed = computed,
            .copied_out = try gpustream.Event.init(gpustream.raw.GS_EVENT_BLOCKING),
        };
    }
    fn deinit(self: Slot) void {
        inline for (.{ "input", "result", "device_input", "device_result", "copied_in", "computed", "copied_out" }) |name| {
            @field(self, name).deinit();
        }
    }
    fn deliver(self: *Slot, run: *Run) !void {
        if (self.bytes == 0) return;
        try self.copied_out.synchronize();
        const words = std.mem.bytesAsSlice(u32, self.result.bytes[0 .. 4 * digests.resultWords(self.bytes)]);
        run.deliver(self.offset, self.bytes, words);
        self.bytes = 0;
    }
};

/// Takes chunks until there are none left.
pub fn work(run: *Run, streams: usize) anyerror!void {
    var owned: [3]Stream = undefined;
    var made: usize = 0;
    defer for (owned[0..made]) |stream| stream.deinit();
    while (made < streams) : (made += 1) owned[made] = try Stream.init(.{ .device = 0 });
    const computer = owned[1 % streams];
    const scope = try gpustream.Scope.enter(computer);
    defer scope.deinit();
    const first = try Slot.init(computer, run.chunk);
    defer first.deinit();
    const second = try Slot.init(computer, run.chunk);
    defer second.deinit();
    // After a failure work may be pending on buffers that are about to be freed; the first failure is the one to report.
    errdefer for (owned[0..made]) |stream| stream.synchronize() catch {};
    // Memory is allocated in the order of its stream; the others may use it from here on.
    for (owned[0..made]) |stream| try stream.wait(computer);

    var slots: [2]Slot = .{ first, second };
    var next: usize = 0;
    while (run.take()) |offset| : (next = 1 - next) {
        const slot = &slots[next];
        try slot.deliver(run); // has waited for the slot's last use: its buffers are idle
        const bytes = @min(run.chunk, run.length - offset);
        try run.read(slot.input.bytes[0..bytes], offset);
        try submit(run, slot, .{ owned[0], computer, owned[2 % streams] }, bytes);
        slot.offset = offset;
        slot.bytes = bytes;
    }
    for (&slots) |*slot| try slot.deliver(run);
}

fn submit(run: *Run, slot: *Slot, streams: [3]Stream, bytes: u64) !void {
    const reader, const computer, const writer = streams;
    try reader.copy(&slot.device_input, slot.input, bytes);
    try reader.record(slot.copied_in);
    try computer.wait(slot.copied_in);
    try computer.fill(&slot.device_result, 0, 4 * digests.bins);
    const grid: u32 = @intCast(digests.slicesOf(bytes));
    const values = .{ slot.device_input.address, @as(u32, @intCast(bytes)), slot.device_result.address };
    // The lane's kernels run in the thread's current stream.
    const how: gpustream.Launch = .{ .grid = .{ grid, 1, 1 }, .block = .{ digests.threads_per_block, 1, 1 } };
    try run.kernel.launch(Stream.current, how, values);
    try computer.record(slot.computed);
    try writer.wait(slot.computed);
    try writer.copy(slot.result, &slot.device_result, 4 * digests.resultWords(bytes));
    try writer.record(slot.copied_out);
}
