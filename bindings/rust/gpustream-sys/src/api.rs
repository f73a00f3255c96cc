// SPDX-License-Identifier: Apache-2.0
//! The functions of the library behind one type, whether they are opened at run time or linked.

use std::ffi::{c_char, c_void};
use std::path::PathBuf;

use crate::error::MissingSymbol;
use crate::structs::*;
use crate::types::*;

/// Opened at run time: one pointer per function, null where the library is older than this crate.
#[cfg(not(gpustream_linked))]
macro_rules! define {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        /// The functions of the loaded library; from [`api`](crate::api).
        #[cfg_attr(not(gpustream_opened), allow(dead_code))]
        pub struct Api {
            pub(crate) path: PathBuf,
            $($name: Option<unsafe extern "C" fn($($ty),*) -> $result>,)*
        }

        impl Api {
            /// `find` returns the address of a symbol by its name, which includes the NUL; null if there is none.
            #[cfg(gpustream_opened)]
            pub(crate) fn new(path: PathBuf, find: impl Fn(&'static [u8]) -> *mut c_void) -> Self {
                Self {
                    path,
                    // SAFETY: tests/abi/check_rust.py compares the types with the header. A null pointer is `None`.
                    $($name: unsafe {
                        std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn($($ty),*) -> $result>>(
                            find(concat!(stringify!($name), "\0").as_bytes()),
                        )
                    },)*
                }
            }

            $(
                #[doc = concat!("Calls `", stringify!($name), "`, which `gpustream.h` describes.")]
                ///
                /// # Errors
                ///
                /// [`MissingSymbol`] if the loaded library lacks the function.
                ///
                /// # Safety
                ///
                /// Each pointer is null or valid for what the header says the function does with it.
                #[inline(always)]
                #[allow(clippy::too_many_arguments)] // as many as the C function has
                pub unsafe fn $name(&self, $($argument: $ty),*) -> Result<$result, MissingSymbol> {
                    match self.$name {
                        // SAFETY: the caller's obligation.
                        Some(function) => Ok(unsafe { function($($argument),*) }),
                        None => Err(MissingSymbol::new(stringify!($name))),
                    }
                }
            )*
        }
    };
}

/// Linked: every function is there, or the program would not have started.
#[cfg(gpustream_linked)]
macro_rules! define {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        mod linked {
            use super::*;
            // build.rs names the library.
            unsafe extern "C" {
                $(pub(super) fn $name($($argument: $ty),*) -> $result;)*
            }
        }

        /// The functions of the linked library; from [`api`](crate::api).
        pub struct Api {
            pub(crate) path: PathBuf,
        }

        impl Api {
            $(
                #[doc = concat!("Calls `", stringify!($name), "`, which `gpustream.h` describes.")]
                ///
                /// # Errors
                ///
                /// [`MissingSymbol`] if the loaded library lacks the function.
                ///
                /// # Safety
                ///
                /// Each pointer is null or valid for what the header says the function does with it.
                #[inline(always)]
                pub unsafe fn $name(&self, $($argument: $ty),*) -> Result<$result, MissingSymbol> {
                    // SAFETY: the caller's obligation.
                    Ok(unsafe { linked::$name($($argument),*) })
                }
            )*
        }
    };
}

for_each_function!(define);
