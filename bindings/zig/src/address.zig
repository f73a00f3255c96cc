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
