// SPDX-License-Identifier: Apache-2.0
const std = @import("std");
const calls = @import("calls.zig");
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const Error = errors.Error;

/// Memory of a device with a limit and statistics. What was allocated from it outlives it. Buffers take their memory from
/// one by Buffer.initFrom().
pub const Pool = struct {
    handle: raw.gs_pool_t = null,

    pub const Options = struct {
        device: raw.gs_device_t = raw.GS_DEVICE_CURRENT,
        /// GS_POOL_*
        flags: u32 = 0,
        /// What it takes from the driver at most, in bytes; 0 is no limit.
        limit: u64 = 0,
        /// What the driver keeps of freed memory when something is synchronized, in bytes; 0 is all of it.
        keep: u64 = 0,
    };
    pub fn init(options: Options) Error!Pool {
        var wanted = std.mem.zeroes(raw.gs_pool_options_t);
        wanted.struct_size = @sizeOf(raw.gs_pool_options_t);
        wanted.flags = options.flags;
        wanted.limit_bytes = options.limit;
        wanted.keep_bytes = options.keep;
        return calls.owner(Pool, raw.gs_pool_create, .{ options.device, &wanted });
    }
    /// The one that allocations on a device use unless they or their thread have another. Needs no deinit().
    pub fn ofDevice(on: raw.gs_device_t) Error!Pool {
        return calls.owner(Pool, raw.gs_pool_default, .{on});
    }
    /// The one that this thread's allocations on a device use. Borrowed until makeCurrent().
    pub fn current(on: raw.gs_device_t) Error!Pool {
        return calls.owner(Pool, raw.gs_current_pool, .{on});
    }
    pub fn deinit(self: Pool) void {
        ends.end(raw.gs_pool_destroy, self.handle);
    }
    /// Another reference, with a deinit() of its own.
    pub fn retain(self: Pool) Error!Pool {
        try errors.check(raw.gs_pool_retain(self.handle));
        return self;
    }
    /// This thread's allocations on the pool's device use it from now on; makeCurrent() of ofDevice() ends that.
    pub fn makeCurrent(self: Pool) Error!void {
        try errors.check(raw.gs_set_current_pool(self.handle));
    }
    pub fn stats(self: Pool) Error!raw.gs_pool_stats_t {
        return calls.filled(raw.gs_pool_stats_t, raw.gs_pool_get_stats, .{self.handle});
    }
    /// The peaks of the statistics begin again at what it has now.
    pub fn resetPeak(self: Pool) Error!void {
        try errors.check(raw.gs_pool_reset_peak(self.handle));
    }
    /// What is freed goes back to the driver, but for so many bytes.
    pub fn trim(self: Pool, keep: u64) Error!void {
        try errors.check(raw.gs_pool_trim(self.handle, keep));
    }
    /// An allocation that would exceed it is error.OutOfMemory; 0 is no limit.
    pub fn setLimit(self: Pool, bytes: u64) Error!void {
        try errors.check(raw.gs_pool_set_limit(self.handle, bytes));
    }
};
