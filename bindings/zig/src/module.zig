// SPDX-License-Identifier: Apache-2.0
const calls = @import("calls.zig");
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const raw = @import("raw.zig");
const text = @import("text.zig");
const Error = errors.Error;
const Stream = @import("stream.zig").Stream;

/// How many threads a kernel gets, bytes of dynamic shared memory, and the attributes of gs_launch_config_t.
pub const Launch = struct {
    grid: [3]u32 = .{ 1, 1, 1 },
    block: [3]u32 = .{ 1, 1, 1 },
    shared_memory_bytes: u32 = 0,
    /// Blocks of a cluster; zeros for none.
    cluster: [3]u32 = .{ 0, 0, 0 },
    /// All blocks run at the same time.
    cooperative: bool = false,
    /// It may start before the kernel ahead of it in the stream has ended.
    programmatic: bool = false,
    remote_domain: bool = false,
    /// In place of the stream's.
    priority: ?i32 = null,
    /// Recorded by the launch; it may be complete before the kernel is. A node has none.
    programmatic_event: raw.gs_event_t = null,

    fn flag(on: bool, value: u32) u32 {
        return if (on) value else 0;
    }

    pub fn config(self: Launch) raw.gs_launch_config_t {
        return .{
            .struct_size = @sizeOf(raw.gs_launch_config_t),
            .grid_x = self.grid[0],
            .grid_y = self.grid[1],
            .grid_z = self.grid[2],
            .block_x = self.block[0],
            .block_y = self.block[1],
            .block_z = self.block[2],
            .shared_memory_bytes = self.shared_memory_bytes,
            .flags = flag(self.cooperative, raw.GS_LAUNCH_COOPERATIVE) | flag(self.programmatic, raw.GS_LAUNCH_PROGRAMMATIC) |
                flag(self.remote_domain, raw.GS_LAUNCH_REMOTE_DOMAIN) | flag(self.priority != null, raw.GS_LAUNCH_PRIORITY),
            .cluster_x = self.cluster[0],
            .cluster_y = self.cluster[1],
            .cluster_z = self.cluster[2],
            .priority = self.priority orelse 0,
            .reserved = 0,
            .programmatic_event = self.programmatic_event,
        };
    }
};

/// Loaded code with kernels.
pub const Module = struct {
    handle: raw.gs_module_t = null,

    /// PTX, cubin or fatbin; on the host backend a shared object. It may wait.
    pub fn init(device: raw.gs_device_t, image: []const u8) Error!Module {
        // 0 bytes would make a path of it.
        return if (image.len == 0) errors.refused(raw.GS_ERROR_INVALID_ARGUMENT) else load(device, image.ptr, image.len);
    }
    /// The same from a file.
    pub fn fromFile(device: raw.gs_device_t, path: [:0]const u8) Error!Module {
        return load(device, try text.forC(path), 0);
    }
    fn load(device: raw.gs_device_t, image: ?*const anyopaque, bytes: usize) Error!Module {
        return calls.owner(Module, raw.gs_module_load, .{ device, image, bytes });
    }
    pub fn deinit(self: Module) void {
        ends.end(raw.gs_module_destroy, self.handle);
    }
    pub fn kernel(self: Module, name: [:0]const u8) Error!Kernel {
        var found: Kernel = .{};
        try errors.check(raw.gs_module_get_kernel(self.handle, try text.forC(name), &found.handle));
        return found;
    }
};

/// Borrowed from its module, and of no use after that has ended.
pub const Kernel = struct {
    handle: raw.gs_kernel_t = null,

    /// `values` is a tuple of what the kernel takes; it is copied: .{ buffer.address, @as(u32, 5) }.
    pub fn launch(self: Kernel, stream: Stream, how: Launch, values: anytype) Error!void {
        var arguments: Arguments(@TypeOf(values)) = undefined;
        const config = how.config();
        try errors.check(raw.gs_kernel_launch(self.handle, &config, arguments.set(values), stream.handle));
    }
};

/// The values of a tuple and their addresses, which are those of this variable. The types must be C's: a literal has none.
pub fn Arguments(comptime Values: type) type {
    const types = @typeInfo(Values).@"struct".field_types;
    for (types) |T| {
        if (T == comptime_int or T == comptime_float) @compileError("an argument of a kernel has a type of C: @as(u32, 5)");
    }
    return struct {
        const Self = @This();
        values: @Tuple(types),
        addresses: [types.len + 1]?*anyopaque,

        pub fn set(self: *Self, values: Values) [*c]?*anyopaque {
            inline for (0..types.len) |i| {
                self.values[i] = values[i];
                self.addresses[i] = @ptrCast(@constCast(&self.values[i]));
            }
            return if (types.len == 0) null else &self.addresses;
        }
    };
}
