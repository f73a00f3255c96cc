// SPDX-License-Identifier: Apache-2.0
const errors = @import("errors.zig");
const library = @import("library.zig");
const raw = @import("raw.zig");
const Error = errors.Error;
const Stream = @import("stream.zig").Stream;

/// The present end of a stream as 128 bytes, for this process and others on the machine. The point is reached when the work that
/// the stream had is done. It is leased: until one process has waited and the point is reached, or GPUSTREAM_TOKEN_LEASE_MS
/// milliseconds are over and it is reached. After that it is error.InvalidHandle, and it never means another point. So make
/// one for each process that is to wait.
pub const Token = struct {
    bytes: [128]u8,

    pub fn init(of: Stream) Error!Token {
        try library.check();
        var made: raw.gs_token_t = undefined; // written if all is well
        try errors.check(raw.gs_token_create(of.handle, &made));
        return .{ .bytes = made.data };
    }
    /// Later work of the stream waits for the point. error.PeerLost: the process that made the token ended before.
    pub fn wait(self: Token, stream: Stream) Error!void {
        const token: raw.gs_token_t = .{ .data = self.bytes };
        try errors.check(raw.gs_token_wait(stream.handle, &token));
    }
    /// Whether the point is reached. Who sees false takes part in the lease until it waits, or sees true.
    pub fn query(self: Token) Error!bool {
        const token: raw.gs_token_t = .{ .data = self.bytes };
        var seen: raw.gs_status_t = raw.GS_NOT_READY;
        try errors.check(raw.gs_token_status(&token, &seen));
        if (seen == raw.GS_NOT_READY) return false;
        try errors.check(seen);
        return true;
    }
};
