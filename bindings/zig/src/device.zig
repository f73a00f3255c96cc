// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const calls = @import("calls.zig");
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const limit = @import("limit.zig");

/// The number of a device; `current` is the calling thread's.
pub const Device = raw.gs_device_t;
pub const current: Device = raw.GS_DEVICE_CURRENT;
pub const none: Device = raw.GS_DEVICE_NONE;

/// Devices of a backend, GS_BACKEND_*.
pub fn deviceCount(backend: raw.gs_backend_t) Error!u32 {
    try library.check();
    return @intCast(try calls.number(i32, raw.gs_device_count, .{backend}));
}
pub fn currentDevice() Error!Device {
    try library.check();
    var found: Device = 0;
    try errors.check(raw.gs_current_device(&found));
    return found;
}
/// For this thread.
pub fn setCurrentDevice(device: Device) Error!void {
    try library.check();
    try errors.check(raw.gs_set_current_device(device));
}
/// Blocks until all work of the device is done.
pub fn synchronizeDevice(device: Device) Error!void {
    try errors.check(raw.gs_device_synchronize(device));
}
/// At most for so many nanoseconds: error.Timeout.
pub fn synchronizeDeviceFor(device: Device, ns: u64) Error!void {
    try errors.check(raw.gs_device_synchronize_for(device, limit.of(ns)));
}
/// Waits for the device and ends it for this process, with all that was made on it: later calls fail with error.ContextLost.
/// Raw handles and memory that other libraries have of it are dead.
pub fn resetDevice(device: Device) Error!void {
    try library.check();
    try errors.check(raw.gs_device_reset(device));
}

/// The properties of a device.
pub const DeviceInfo = struct {
    info: raw.gs_device_info_t,

    pub fn of(device: Device) Error!DeviceInfo {
        try library.check();
        var self: DeviceInfo = .{ .info = std.mem.zeroes(raw.gs_device_info_t) };
        self.info.struct_size = @sizeOf(raw.gs_device_info_t);
        try errors.check(raw.gs_device_get_info(device, &self.info));
        return self;
    }
    pub fn name(self: *const DeviceInfo) []const u8 {
        return std.mem.sliceTo(&self.info.name, 0);
    }
};

/// A device current on this thread, from enter() to leave() or deinit().
pub const DeviceScope = struct {
    before: Device,

    pub fn enter(device: Device) Error!DeviceScope {
        try library.check();
        var self: DeviceScope = .{ .before = none };
        try errors.check(raw.gs_exchange_device(device, &self.before));
        return self;
    }
    pub fn leave(self: DeviceScope) Error!void {
        try errors.check(raw.gs_set_current_device(self.before));
    }
    /// For `defer`.
    pub fn deinit(self: DeviceScope) void {
        _ = raw.gs_set_current_device(self.before); // a failure goes to the library's log
    }
};
