// SPDX-License-Identifier: Apache-2.0
//! Numbers, handles and pointers to functions.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_void};
use std::marker::{PhantomData, PhantomPinned};

/// Result of a call: `GS_OK`, `GS_NOT_READY` or `GS_ERROR_*`. Later versions add numbers, so it is no Rust enum.
pub type gs_status_t = i32;
/// A kind of device: `GS_BACKEND_*`.
pub type gs_backend_t = i32;
/// A device: plain ordinal, [`GS_DEVICE`], `GS_DEVICE_CURRENT` or `GS_DEVICE_NONE`.
pub type gs_device_t = i32;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident, $pointer:ident;)*) => { $(
        $(#[$doc])*
        #[repr(C)]
        pub struct $name {
            nothing: [u8; 0],
            not_send_nor_unpin: PhantomData<(*mut u8, PhantomPinned)>,
        }
        #[doc = concat!("Handle: a number that points to nothing. Any value may be passed; one that names no live `",
            stringify!($name), "` is answered with `GS_ERROR_INVALID_HANDLE`.")]
        pub type $pointer = *mut $name;
    )* };
}

handles! {
    /// Names the type of stream handles; has no values.
    gs_stream, gs_stream_t;
    /// Names the type of event handles; has no values.
    gs_event, gs_event_t;
    /// Names the type of module handles; has no values.
    gs_module, gs_module_t;
    /// Names the type of kernel handles; has no values.
    gs_kernel, gs_kernel_t;
}

/// Function of `gs_set_log_callback`.
pub type gs_log_fn = Option<unsafe extern "C" fn(arg: *mut c_void, level: i32, text: *const c_char)>;
/// Function of `gs_call_on_init`.
pub type gs_init_fn = Option<unsafe extern "C" fn(arg: *mut c_void) -> gs_status_t>;
/// Function of `gs_stream_launch_host` and of `gs_stream_from_native_owned`.
pub type gs_host_fn = Option<unsafe extern "C" fn(arg: *mut c_void)>;
/// Function of `gs_stream_notify`.
pub type gs_notify_fn = Option<unsafe extern "C" fn(arg: *mut c_void, status: gs_status_t)>;

/// The current stream of the current device, where a parameter's description allows it.
pub const GS_STREAM_CURRENT: gs_stream_t = 0x7000_0000_0000_0001_usize as gs_stream_t;

/// Device `ordinal` (0 to 65535) of `backend` (`GS_BACKEND_HOST` or above).
#[allow(non_snake_case)]
pub const fn GS_DEVICE(backend: gs_backend_t, ordinal: i32) -> gs_device_t {
    (backend << 16) | ordinal
}
