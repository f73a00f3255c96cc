// SPDX-License-Identifier: Apache-2.0
//! gpustream for Zig: streams, events and scopes with errors as error sets. Each function is the C function that it calls:
//! whether it blocks and its thread rule are in gpustream.h. An owner has `deinit()`, for `defer`.

pub const raw = @import("raw.zig");
pub const Error = @import("errors.zig").Error;
pub const Detail = @import("errors.zig").Detail;
pub const check = @import("errors.zig").check;
pub const lastError = @import("errors.zig").lastError;
pub const statusOf = @import("errors.zig").statusOf;
pub const Event = @import("event.zig").Event;
pub const TimedEvent = @import("event.zig").TimedEvent;
pub const Stream = @import("stream.zig").Stream;
pub const Scope = @import("scope.zig").Scope;
pub const currentStream = @import("stream.zig").currentStream;
pub const defaultStream = @import("stream.zig").defaultStream;

/// The number of a device; `current` is the calling thread's.
pub const Device = raw.gs_device_t;
pub const current: Device = raw.GS_DEVICE_CURRENT;
pub const none: Device = raw.GS_DEVICE_NONE;

test {
    _ = raw;
    _ = @import("errors.zig");
}
