// SPDX-License-Identifier: Apache-2.0
//! Every function of the library by way of gpustream-sys, for the runner of the parity cases (tests/parity/README.md).
#![allow(clippy::too_many_arguments)] // as many as the C functions have

use std::ffi::{c_char, c_void};

use gpustream::sys::{self, *};

macro_rules! layer {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => { $(
        #[unsafe(export_name = concat!("layer_", stringify!($name)))]
        unsafe extern "C" fn $name($($argument: $ty),*) -> $result {
            // SAFETY: the runner's obligation.
            unsafe { sys::api().expect("the library").$name($($argument),*).expect("the function") }
        }
    )* };
}
sys::for_each_function!(layer);
