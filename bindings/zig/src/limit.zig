// SPDX-License-Identifier: Apache-2.0
const std = @import("std");

/// The C functions take a negative number as no limit.
pub fn of(ns: u64) i64 {
    return std.math.cast(i64, ns) orelse std.math.maxInt(i64);
}
