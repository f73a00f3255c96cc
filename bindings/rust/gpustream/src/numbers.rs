// SPDX-License-Identifier: Apache-2.0
//! Types for the header's enums. The enumerators and their descriptions are in the lists of `gpustream-sys`, which are
//! generated from the header: `sys::for_each_enumerator!(backend, closed, /// ... Backend)`.

/// An enum whose values go to the library. Numbers from the library may be newer than this crate.
macro_rules! closed {
    ($(#[$meta:meta])* $type:ident $($(#[$doc:meta])* $name:ident = $constant:ident;)*) => {
        $crate::numbers::given! { $(#[$meta])* $type $($(#[$doc])* $name = $constant;)* }

        impl $type {
            pub(crate) fn from_number(number: i32) -> Option<Self> {
                Some(match number {
                    $(gpustream_sys::$constant => Self::$name,)*
                    _ => return None,
                })
            }
        }
    };
}

/// An enum whose values only go to the library.
macro_rules! given {
    ($(#[$meta:meta])* $type:ident $($(#[$doc:meta])* $name:ident = $constant:ident;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $type { $($(#[$doc])* $name = gpustream_sys::$constant,)* }
    };
}

/// An enum whose values only come from the library.
macro_rules! open {
    ($(#[$meta:meta])* $type:ident $($(#[$doc:meta])* $name:ident = $constant:ident;)*) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$doc])* $name,)*
            /// A number that this crate does not know.
            Other(i32),
        }

        impl $type {
            pub(crate) fn from_number(number: i32) -> Self {
                match number {
                    $(gpustream_sys::$constant => Self::$name,)*
                    other => Self::Other(other),
                }
            }
        }
    };
}

macro_rules! flags {
    ($(#[$meta:meta])* $type:ident $($(#[$($doc:tt)+])* $name:ident = $constant:ident;)*) => {
        bitflags::bitflags! {
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $type: u32 {
                $($(#[$($doc)+])* const $name = gpustream_sys::$constant;)*
                /// Newer libraries may set other bits.
                const _ = !0;
            }
        }
    };
}

pub(crate) use {closed, flags, given, open};
