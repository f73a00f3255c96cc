// SPDX-License-Identifier: Apache-2.0

/// Where a copy or a fill begins: what has a start (a Buffer, a HostBuffer), a slice, or an address.
pub fn addressOf(place: anytype) ?*anyopaque {
    return switch (@typeInfo(@TypeOf(place))) {
        .@"struct" => place.start(),
        .pointer => |pointer| if (pointer.size == .slice) @ptrCast(@constCast(place.ptr)) else @ptrCast(@constCast(place)),
        else => place,
    };
}
