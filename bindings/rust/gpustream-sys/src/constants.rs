// SPDX-License-Identifier: Apache-2.0
//! The header's numbers.

use crate::types::gs_stream_t;

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $ty = $value;)*
    };
}
for_each_constant!(define);

macro_rules! define_handles {
    ($($(#[$doc:meta])* $name:ident: $ty:ty = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $ty = $value as $ty;)*
    };
}
for_each_handle_constant!(define_handles);
