// SPDX-License-Identifier: Apache-2.0
//! Calls the made-up functions through the generated declarations.
const std = @import("std");
const raw = @import("gpustream").raw;
const expectEqual = std.testing.expectEqual;

fn seen(arg: ?*anyopaque, value: i64) callconv(.c) raw.gs_status_t {
    const sum: *i64 = @ptrCast(@alignCast(arg.?));
    sum.* += value;
    return raw.GS_OK;
}

test "made up" {
    const weight: raw.gs_made_weight_t = .{ .struct_size = @sizeOf(raw.gs_made_weight_t), .mode = raw.GS_MADE_DOUBLED, .factor = 0.5 };
    var total = std.mem.zeroes(raw.gs_made_total_t);
    total.struct_size = @sizeOf(raw.gs_made_total_t);
    const values = [_]i64{ 3, 4, 5 };
    var event: raw.gs_event_t = null;
    var sum: i64 = 0;
    try expectEqual(raw.GS_OK, raw.gs_made_sum(&weight, &values, values.len, seen, &sum, &total, &event));
    try expectEqual(12, sum);
    try expectEqual(5, total.first[2]);
    var doubled: u32 = 0;
    try expectEqual(raw.GS_OK, raw.gs_made_doubled_flags(event, &doubled));
    try expectEqual(2 * raw.GS_EVENT_TIMING, doubled);
    var squares: [3]i64 = undefined;
    var count: usize = 0;
    try expectEqual(raw.GS_OK, raw.gs_made_squares(20, &squares, squares.len, &count));
    try expectEqual(5, count);
    try expectEqual(4, squares[2]);
    try expectEqual(raw.GS_OK, raw.gs_event_destroy(event));
    try expectEqual(raw.GS_ERROR_INVALID_HANDLE, raw.gs_made_doubled_flags(event, &doubled));
}
