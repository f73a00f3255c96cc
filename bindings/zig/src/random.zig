// SPDX-License-Identifier: Apache-2.0
//! The random state of a device: a key and a position, from which kernels draw Philox 4x32-10.
const calls = @import("calls.zig");
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const Stream = @import("stream.zig").Stream;

/// As PyTorch's generators have it. The offset counts numbers of 32 bits and is a multiple of 4.
pub const State = struct { seed: u64 = 0, offset: u64 = 0 };

/// Sets the seed, and the offset to 0.
pub fn seed(on: raw.gs_device_t, value: u64) Error!void {
    try library.check();
    try errors.check(raw.gs_rng_set_state(on, value, 0));
}
pub fn getState(on: raw.gs_device_t) Error!State {
    try library.check();
    var found: State = .{};
    try errors.check(raw.gs_rng_get_state(on, &found.seed, &found.offset));
    return found;
}
pub fn setState(on: raw.gs_device_t, state: State) Error!void {
    try library.check();
    try errors.check(raw.gs_rng_set_state(on, state.seed, state.offset));
}
/// Reserves numbers for each thread of a kernel that is launched next in the stream. In a capture the result has addresses,
/// from which the kernel reads where they begin.
pub fn reserve(stream: Stream, count: u64) Error!raw.gs_philox_t {
    return calls.filled(raw.gs_philox_t, raw.gs_rng_reserve, .{ stream.handle, count });
}
