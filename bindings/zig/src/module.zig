// SPDX-License-Identifier: Apache-2.0
const ends = @import("ends.zig");
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const Stream = @import("stream.zig").Stream;

/// How many threads a kernel gets, and bytes of dynamic shared memory.
pub const Launch = struct {
    grid: [3]u32 = .{ 1, 1, 1 },
    block: [3]u32 = .{ 1, 1, 1 },
    shared_memory_bytes: u32 = 0,

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
        };
    }
};

/// Loaded code with kernels.
pub const Module = struct {
    handle: raw.gs_module_t = null,

    /// PTX, cubin or fatbin; on the host backend a shared object. It may wait.
    pub fn init(device: raw.gs_device_t, image: []const u8) Error!Module {
        // 0 bytes would make a path of it.
        return if (image.len == 0) error.InvalidArgument else load(device, image.ptr, image.len);
    }
    /// The same from a file.
    pub fn fromFile(device: raw.gs_device_t, path: [:0]const u8) Error!Module {
        return load(device, path.ptr, 0);
    }
    fn load(device: raw.gs_device_t, image: ?*const anyopaque, bytes: usize) Error!Module {
        try library.check();
        var self: Module = .{};
        try errors.check(raw.gs_module_load(device, image, bytes, &self.handle));
        return self;
    }
    pub fn deinit(self: Module) void {
        ends.end(raw.gs_module_destroy, self.handle);
    }
    pub fn kernel(self: Module, name: [:0]const u8) Error!Kernel {
        var found: Kernel = .{};
        try errors.check(raw.gs_module_get_kernel(self.handle, name.ptr, &found.handle));
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
