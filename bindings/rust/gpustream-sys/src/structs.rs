// SPDX-License-Identifier: Apache-2.0
//! The header's structs.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_void};

use crate::types::*;

macro_rules! define {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* })*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name { $($(#[$field_doc])* pub $field: $ty,)* }

        impl Default for $name {
            /// All zero, except for `struct_size`, which is the size of the struct where it has that field.
            fn default() -> Self {
                // SAFETY: every field is an integer, an array of integers, a raw pointer or an optional function.
                let zeroed: Self = unsafe { std::mem::zeroed() };
                sized!(zeroed, $($field)*)
            }
        }
    )* };
}

/// Sets `struct_size` of a struct whose first field it is.
macro_rules! sized {
    ($zeroed:ident, struct_size $($other:ident)*) => {
        Self { struct_size: size_of::<Self>() as u32, ..$zeroed }
    };
    ($zeroed:ident, $($other:ident)*) => {
        $zeroed
    };
}

for_each_struct!(define);
