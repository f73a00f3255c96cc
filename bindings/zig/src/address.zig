// SPDX-License-Identifier: Apache-2.0

fn has(comptime Place: type, comptime name: []const u8) bool {
    return @typeInfo(Place) == .@"struct" and @hasDecl(Place, name);
}

/// Where a copy or a fill begins: what has a start (a Buffer, a HostBuffer, or its address), a slice, or an address.
pub fn addressOf(place: anytype) ?*anyopaque {
    return switch (@typeInfo(@TypeOf(place))) {
        .@"struct" => place.start(),
        .pointer => |pointer| if (pointer.size == .slice)
            @ptrCast(@constCast(place.ptr))
        else if (comptime has(pointer.child, "start"))
            place.start()
        else
            @ptrCast(@constCast(place)),
        else => place,
    };
}

fn canWrite(comptime Place: type) bool {
    return switch (@typeInfo(Place)) {
        .pointer => |pointer| !pointer.attrs.@"const" or has(pointer.child, "start"),
        else => true,
    };
}

/// The same for a place that the work writes.
pub fn writtenAt(place: anytype) ?*anyopaque {
    if (comptime !canWrite(@TypeOf(place))) @compileError("a copy or a fill would write memory that is const");
    return addressOf(place);
}

/// The stream for work on the place, which notes it if it is a Buffer.
pub fn streamFor(place: anytype, on: anytype) !@TypeOf(on) {
    const Place = @TypeOf(place);
    const Target = switch (@typeInfo(Place)) {
        .pointer => |pointer| pointer.child,
        else => Place,
    };
    if (comptime !has(Target, "use")) return on;
    if (Place != *Target) @compileError("a buffer notes the streams that use it: make it a var, and pass its address");
    return place.use(on);
}

test "const memory is not written" {
    const expect = @import("std").testing.expect;
    const Memory = struct {
        pub fn start(self: @This()) ?*anyopaque {
            return @constCast(&self);
        }
    };
    inline for (.{ []u8, *[3]u32, [*]u8, ?*anyopaque, Memory, *const Memory }) |Place| try expect(canWrite(Place));
    inline for (.{ []const u8, *const [3]u32, [*]const u8, [:0]const u8 }) |Place| try expect(!canWrite(Place));
}
