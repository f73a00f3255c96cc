// SPDX-License-Identifier: Apache-2.0

const Buffer = @import("memory.zig").Buffer;
const Error = @import("errors.zig").Error;
const Stream = @import("stream.zig").Stream;

/// Where a copy or a fill begins: what has a start (a Buffer, a HostBuffer, or its address), a slice, or an address.
pub fn addressOf(place: anytype) ?*anyopaque {
    return switch (@typeInfo(@TypeOf(place))) {
        .@"struct" => place.start(),
        .pointer => |pointer| if (pointer.size == .slice)
            @ptrCast(@constCast(place.ptr))
        else if (pointer.child == Buffer)
            place.start()
        else
            @ptrCast(@constCast(place)),
        else => place,
    };
}

/// The stream for work on the place, which notes it if it is a buffer.
pub fn streamFor(place: anytype, on: Stream) Error!Stream {
    return switch (@TypeOf(place)) {
        *Buffer => place.use(on),
        Buffer, *const Buffer => @compileError("a buffer notes the streams that use it: make it a var, and pass its address"),
        else => on,
    };
}
