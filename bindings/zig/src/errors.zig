// SPDX-License-Identifier: Apache-2.0
//! Statuses as errors.
const std = @import("std");
const raw = @import("raw.zig");

const rows = @import("statuses.zig").rows;
/// Statuses as errors, and `WrongAbi`, after which library.describe() says more than lastError().
pub const Error = @import("statuses.zig").Error || error{WrongAbi};

/// The status of the thread's last failure if the library has no record of it, else GS_OK.
threadlocal var unrecorded: raw.gs_status_t = raw.GS_OK;

/// The error of a call that this layer refuses, before the library sees it.
pub fn refused(status: raw.gs_status_t) Error {
    const failure = failed(status);
    unrecorded = status;
    return failure;
}

fn failed(status: raw.gs_status_t) Error {
    @branchHint(.cold);
    unrecorded = if (status == raw.GS_ERROR_TIMEOUT or status == raw.GS_NOT_READY) status else raw.GS_OK;
    for (rows) |row| {
        if (row[0] == status) return row[1];
    }
    return Error.Unknown;
}

/// A status as an error. What happened is in `lastError()`, until the thread's next failure.
pub inline fn check(status: raw.gs_status_t) Error!void {
    if (status != raw.GS_OK) return failed(status);
}

/// The status of an error.
pub fn statusOf(err: Error) raw.gs_status_t {
    for (rows) |row| {
        if (row[1] == err) return row[0];
    }
    if (err == error.WrongAbi) return raw.GS_ERROR_NOT_SUPPORTED;
    return raw.GS_ERROR_INTERNAL;
}

/// The record of the calling thread's last failure.
pub const Detail = struct {
    info: raw.gs_error_info_t,

    pub fn function(self: *const Detail) []const u8 {
        return std.mem.sliceTo(&self.info.function, 0);
    }
    pub fn nativeFunction(self: *const Detail) []const u8 {
        return std.mem.sliceTo(&self.info.native_function, 0);
    }
    pub fn message(self: *const Detail) []const u8 {
        return std.mem.sliceTo(&self.info.message, 0);
    }
    /// Where a sticky error was seen first; else empty.
    pub fn origin(self: *const Detail) []const u8 {
        return std.mem.sliceTo(&self.info.origin, 0);
    }
    /// The stream that the failed call was given, if any. It may have ended since.
    pub fn stream(self: *const Detail) raw.gs_stream_t {
        return self.info.stream;
    }
    /// The event that it was given, if any.
    pub fn event(self: *const Detail) raw.gs_event_t {
        return self.info.event;
    }
    /// The device that it was given, else that of its stream or event; GS_DEVICE_NONE: none.
    pub fn device(self: *const Detail) raw.gs_device_t {
        return self.info.device;
    }
    pub fn isSticky(self: *const Detail) bool {
        return self.info.sticky != 0;
    }
};

/// Of a failure without a record, as a limit that is over, it has the status and what that means.
pub fn lastError() Detail {
    return if (unrecorded == raw.GS_OK) recordOf(raw.gs_last_error) else only(unrecorded);
}

fn recordOf(read: *const fn ([*c]raw.gs_error_info_t) callconv(.c) raw.gs_status_t) Detail {
    var detail: Detail = .{ .info = std.mem.zeroes(raw.gs_error_info_t) };
    detail.info.struct_size = @sizeOf(raw.gs_error_info_t);
    const status = read(&detail.info);
    return if (status == raw.GS_OK) detail else only(status);
}

fn only(status: raw.gs_status_t) Detail {
    var detail: Detail = .{ .info = std.mem.zeroes(raw.gs_error_info_t) };
    detail.info.struct_size = @sizeOf(raw.gs_error_info_t);
    detail.info.status = status;
    detail.info.device = raw.GS_DEVICE_NONE; // 0 would be a real one
    const meaning = std.mem.span(raw.gs_status_message(status));
    const length = @min(meaning.len, detail.info.message.len - 1);
    @memcpy(detail.info.message[0..length], meaning[0..length]);
    return detail;
}

test "every status is an error of its own" {
    for (rows) |row| try std.testing.expectEqual(row[0], statusOf(failed(row[0])));
    try std.testing.expectEqual(Error.Unknown, failed(12345));
    try std.testing.expectEqual(raw.GS_ERROR_NOT_SUPPORTED, statusOf(error.WrongAbi));
    try check(raw.GS_OK);
}

fn refuses(info: [*c]raw.gs_error_info_t) callconv(.c) raw.gs_status_t {
    info.*.device = 1;
    return raw.GS_ERROR_BAD_FORK;
}

test "a record that cannot be read names no device" {
    const detail = recordOf(refuses);
    try std.testing.expectEqual(raw.GS_ERROR_BAD_FORK, detail.info.status);
    try std.testing.expectEqual(raw.GS_DEVICE_NONE, detail.device());
    try std.testing.expectEqual(null, detail.stream());
    try std.testing.expectEqualStrings(std.mem.span(raw.gs_status_message(raw.GS_ERROR_BAD_FORK)), detail.message());
}
