// SPDX-License-Identifier: Apache-2.0
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const Pool = @import("pool.zig").Pool;
const streams = @import("stream.zig");
const Stream = streams.Stream;

/// Device memory, allocated and freed in the order of its stream.
pub const Buffer = struct {
    address: ?*anyopaque,
    bytes: usize,
    owner: Stream,

    /// The stream's later work may use it; other streams wait for an event behind this call first.
    pub fn init(stream: Stream, bytes: usize) Error!Buffer {
        return allocate(null, stream, bytes);
    }
    /// From this pool instead of the one that the thread has current.
    pub fn initFrom(pool: Pool, stream: Stream, bytes: usize) Error!Buffer {
        return allocate(pool, stream, bytes);
    }
    fn allocate(pool: ?Pool, stream: Stream, bytes: usize) Error!Buffer {
        const named = if (stream.handle == raw.GS_STREAM_CURRENT) try streams.currentStream(raw.GS_DEVICE_CURRENT) else stream;
        const owner = try named.retain();
        errdefer owner.deinit();
        var self: Buffer = .{ .address = null, .bytes = bytes, .owner = owner };
        try errors.check(if (pool) |from|
            raw.gs_pool_malloc(from.handle, bytes, owner.handle, &self.address)
        else
            raw.gs_malloc_async(bytes, owner.handle, &self.address));
        return self;
    }
    /// Frees it in its stream's order: work that is there may still use it. While the stream is being captured the memory
    /// lives as long as the graph.
    pub fn deinit(self: Buffer) void {
        // A failure goes to the library's log.
        if (raw.gs_free_async(self.address, self.owner.handle) == raw.GS_ERROR_CAPTURING)
            _ = raw.gs_free_after(self.address, &self.owner.handle, 1);
        self.owner.deinit();
    }
    /// In place of deinit(): frees it once these streams, `.{ a, b }`, are done with what they have now; none of them waits.
    /// After an error the buffer is as it was.
    pub fn deinitAfter(self: Buffer, users: anytype) Error!void {
        var handles: [users.len]raw.gs_stream_t = undefined;
        inline for (users, 0..) |user, i| handles[i] = user.handle;
        try errors.check(raw.gs_free_after(self.address, &handles, handles.len));
        self.owner.deinit();
    }
    /// Its first byte, where copies and fills begin.
    pub fn start(self: Buffer) ?*anyopaque {
        return self.address;
    }
};

/// Memory of the host that devices copy from and to. It must not be freed while they do.
pub const HostBuffer = struct {
    bytes: []align(64) u8,

    pub fn init(count: usize) Error!HostBuffer {
        try library.check();
        var address: ?*anyopaque = null;
        try errors.check(raw.gs_malloc_host(count, &address));
        const first: [*]align(64) u8 = @ptrCast(@alignCast(address.?));
        return .{ .bytes = first[0..count] };
    }
    pub fn deinit(self: HostBuffer) void {
        _ = raw.gs_free_host(self.bytes.ptr);
    }
    /// Its first byte, where copies begin.
    pub fn start(self: HostBuffer) ?*anyopaque {
        return self.bytes.ptr;
    }
};
