// SPDX-License-Identifier: Apache-2.0

/// What work is called in reports, as C takes it.
pub fn labelText(label: ?[:0]const u8) [*c]const u8 {
    return if (label) |given| given.ptr else null;
}
