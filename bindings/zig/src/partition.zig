// SPDX-License-Identifier: Apache-2.0
const calls = @import("calls.zig");
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const Stream = @import("stream.zig").Stream;

/// A part of a device's multiprocessors. Work in its streams runs there and nowhere else; on the host backend they have so many
/// worker threads.
pub const Partition = extern struct {
    handle: raw.gs_partition_t = null,

    pub const Options = struct {
        device: raw.gs_device_t = raw.GS_DEVICE_CURRENT,
        /// GS_PARTITION_*
        flags: u32 = 0,
    };
    /// At least so many multiprocessors.
    pub fn init(count: u32, options: Options) Error!Partition {
        return (try split(1, .{count}, options))[0];
    }
    /// Creates partitions that share no multiprocessor, one for each number in this order. After an error there are none.
    ///
    ///     const urgent, const batch = try Partition.split(2, .{ 16, 96 }, .{});
    pub fn split(comptime count: usize, counts: [count]u32, options: Options) Error![count]Partition {
        var made: [count]Partition = @splat(.{});
        try initAll(&made, &counts, options);
        return made;
    }
    /// The same where their number is known at run time. error.InvalidArgument: also if there is not a place for each number.
    pub fn initAll(made: []Partition, counts: []const u32, options: Options) Error!void {
        try library.check();
        if (made.len != counts.len) return errors.refused(raw.GS_ERROR_INVALID_ARGUMENT);
        // A Partition is laid out as its handle.
        const handles: [*c]raw.gs_partition_t = @ptrCast(made.ptr);
        try errors.check(raw.gs_partition_create(options.device, counts.ptr, counts.len, options.flags, handles));
    }
    /// Its streams work on, and what they run on lasts as long as they do.
    pub fn deinit(self: Partition) void {
        ends.end(raw.gs_partition_destroy, self.handle);
    }
    /// What it really has, and how many streams it has now.
    pub fn info(self: Partition) Error!raw.gs_partition_summary_t {
        return calls.filled(raw.gs_partition_summary_t, raw.gs_partition_info, .{self.handle});
    }

    pub const StreamOptions = struct {
        /// As a stream's of the device.
        priority: i32 = 0,
        /// 0 or GS_STREAM_DEDICATED
        flags: u32 = 0,
    };
    /// A stream whose work runs on the partition's multiprocessors only, with a deinit() of its own.
    pub fn createStream(self: Partition, options: StreamOptions) Error!Stream {
        return calls.owner(Stream, raw.gs_stream_create_in, .{ self.handle, options.priority, options.flags });
    }
};
