// SPDX-License-Identifier: Apache-2.0
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const Pool = @import("pool.zig").Pool;
const streams = @import("stream.zig");
const Stream = streams.Stream;
const users_of = @import("users.zig");
const Users = users_of.Users;

/// Device memory, allocated and freed in stream order. Copies and fills take its address (`&buffer`), and note their stream: the
/// first use in another stream than that of the allocation waits for what the latter has then; between uses in different
/// streams nothing waits. Stream.current is the current stream of its device. A graph whose nodes use the memory must not
/// outlive it. Used by one thread at a time, and not copied.
pub const Buffer = struct {
    address: ?*anyopaque,
    bytes: usize,
    owner: Stream,
    users: Users = .{},

    pub fn init(stream: Stream, bytes: usize) Error!Buffer {
        return allocate(null, stream, bytes);
    }
    /// From this pool instead of the one that the thread has current.
    pub fn initFrom(pool: Pool, stream: Stream, bytes: usize) Error!Buffer {
        return allocate(pool, stream, bytes);
    }
    fn allocate(pool: ?Pool, stream: Stream, bytes: usize) Error!Buffer {
        const owner = try (try named(stream, raw.GS_DEVICE_CURRENT)).retain();
        errdefer owner.deinit();
        var self: Buffer = .{ .address = null, .bytes = bytes, .owner = owner };
        try errors.check(if (pool) |from|
            raw.gs_pool_malloc(from.handle, bytes, owner.handle, &self.address)
        else
            raw.gs_malloc_async(bytes, owner.handle, &self.address));
        return self;
    }
    /// Frees it in stream order: work that the streams which use it have now may still do so. If one is being captured the
    /// memory lives as long as the graph. In a host function, which may not free it, another thread does.
    pub fn deinit(self: Buffer) void {
        if (self.owner.handle == null) return;
        self.free() catch |failure| { // which goes to the library's log
            if (failure == error.NotPermitted) return ends.elsewhere(deinit, self);
            if (failure == error.Capturing and !self.users.any())
                _ = raw.gs_free_after(self.address, &self.owner.handle, 1);
        };
        self.release();
    }
    /// In place of deinit(): frees it once these streams, `.{ a, b }`, too, are done with what they have now; none of them
    /// waits. After an error the buffer is still there.
    pub fn deinitAfter(self: *Buffer, others: anytype) Error!void {
        inline for (others) |other| try self.recordStream(other);
        try self.free();
        self.release();
        self.* = .{ .address = null, .bytes = 0, .owner = .{} }; // nothing is left to a deinit() that was deferred
    }
    /// Another stream uses the memory by its address: it is freed once that stream, too, has done what it has then. Neither
    /// stream waits: the caller orders that use behind the allocation.
    pub fn recordStream(self: *Buffer, user: Stream) Error!void {
        try self.users.note(self.owner, try named(user, raw.GS_DEVICE_CURRENT), .recorded);
    }
    /// For copies and fills: the stream, which is about to use the memory.
    pub fn use(self: *Buffer, on: Stream) Error!Stream {
        const stream = try named(on, try self.owner.device());
        if (stream.handle != self.owner.handle) try self.users.enter(self.owner, stream);
        return stream;
    }
    /// Its first byte, where copies and fills begin.
    pub fn start(self: Buffer) ?*anyopaque {
        return self.address;
    }

    fn named(stream: Stream, on: raw.gs_device_t) Error!Stream {
        return if (stream.handle == raw.GS_STREAM_CURRENT) streams.currentStream(on) else stream;
    }
    fn free(self: Buffer) Error!void {
        const own = try users_of.standIn(self.owner);
        if (!self.users.any()) return errors.check(raw.gs_free_async(self.address, own.handle));
        const all = self.users.all.items;
        errors.check(raw.gs_free_after(self.address, all.ptr, all.len)) catch |failure| {
            if (failure != error.InvalidArgument) return failure;
            // Memory that a capture has allocated is freed in one stream, as a node or later.
            for (all[1..]) |user| try own.wait(Stream{ .handle = user });
            try errors.check(raw.gs_free_async(self.address, own.handle));
        };
    }
    fn release(self: Buffer) void {
        self.users.release();
        self.owner.deinit();
    }
};

/// Memory of the host that devices copy from and to. It must not be freed while they do.
pub const HostBuffer = struct {
    bytes: []align(64) u8,

    pub fn init(count: usize) Error!HostBuffer {
        try library.check();
        var address: ?*anyopaque = null;
        try errors.check(raw.gs_malloc_host(count, &address));
        if (count == 0) return .{ .bytes = &.{} };
        const first: [*]align(64) u8 = @ptrCast(@alignCast(address.?));
        return .{ .bytes = first[0..count] };
    }
    pub fn deinit(self: HostBuffer) void {
        if (self.bytes.len != 0) ends.end(raw.gs_free_host, @as(?*anyopaque, self.bytes.ptr));
    }
    /// Its first byte, where copies begin.
    pub fn start(self: HostBuffer) ?*anyopaque {
        return self.bytes.ptr;
    }
};
