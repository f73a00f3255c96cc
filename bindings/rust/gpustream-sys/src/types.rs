// SPDX-License-Identifier: Apache-2.0
//! Aliases of numbers, handles and pointers to functions.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_void};
use std::marker::{PhantomData, PhantomPinned};

macro_rules! aliases {
    ($($(#[$doc:meta])* $name:ident = $ty:ty;)*) => {
        $($(#[$doc])* pub type $name = $ty;)*
    };
}
for_each_alias!(aliases);

macro_rules! handles {
    ($($(#[$doc:meta])* $target:ident, $name:ident;)*) => { $(
        #[doc = concat!("Names the type of [`", stringify!($name), "`]; has no values.")]
        #[repr(C)]
        pub struct $target {
            nothing: [u8; 0],
            not_send_nor_unpin: PhantomData<(*mut u8, PhantomPinned)>,
        }
        $(#[$doc])*
        ///
        /// Any value may be passed; one that does not name a live object is `GS_ERROR_INVALID_HANDLE`.
        pub type $name = *mut $target;
    )* };
}
for_each_handle!(handles);

/// The callback of `gs_set_log_callback`; `level` is `GS_LOG_*`, `text` is NUL-terminated and valid during the call.
pub type gs_log_fn = Option<unsafe extern "C" fn(arg: *mut c_void, level: i32, text: *const c_char)>;
/// The callback of `gs_call_on_init`.
pub type gs_init_fn = Option<unsafe extern "C" fn(arg: *mut c_void) -> gs_status_t>;
/// The callback of `gs_stream_launch_host` and `gs_stream_from_native_owned`.
pub type gs_host_fn = Option<unsafe extern "C" fn(arg: *mut c_void)>;
/// The callback of `gs_stream_notify`; `status` is `GS_OK` or the status with which the work failed.
pub type gs_notify_fn = Option<unsafe extern "C" fn(arg: *mut c_void, status: gs_status_t)>;

/// Device `ordinal` (0 to 65535) of `backend` (`GS_BACKEND_HOST` or above), for any default backend.
#[allow(non_snake_case)]
pub const fn GS_DEVICE(backend: gs_backend_t, ordinal: i32) -> gs_device_t {
    (backend << 16) | ordinal
}
