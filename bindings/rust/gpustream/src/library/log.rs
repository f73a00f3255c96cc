// SPDX-License-Identifier: Apache-2.0
//! Log messages: warnings, and failures that cannot be returned to a caller.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use gpustream_sys as sys;

use crate::call::{api, check};
use crate::callback::{contain, register_forever};
use crate::error::Result;
use crate::numbers::open;

sys::for_each_enumerator! {
    log_level, open,
    /// Severity of a message.
    LogLevel
}

/// Sets the function that receives warnings and failures of `drop`, for the whole process. `None` restores the default:
/// warnings and errors go to stderr.
///
/// The function may be called on any thread, including those of the library, and must not call gpustream. A panic in it
/// is contained. It is never dropped: when another one is set, a thread may still be in it.
///
/// ```
/// gpustream::set_log(Some(|level, text: &str| eprintln!("{level:?}: {text}")))?;
/// # Ok::<(), gpustream::Error>(())
/// ```
pub fn set_log<F: Fn(LogLevel, &str) + Send + Sync + 'static>(logger: Option<F>) -> Result<()> {
    let api = api()?;
    let Some(logger) = logger else {
        // SAFETY: no function, and no argument.
        return check(unsafe { api.gs_set_log_callback(None, null_mut()) });
    };
    // SAFETY: the function is for such an argument, which lives as long as the program.
    register_forever(logger, |arg| check(unsafe { api.gs_set_log_callback(Some(pass_on::<F>), arg) }))
}

unsafe extern "C" fn pass_on<F: Fn(LogLevel, &str)>(logger: *mut c_void, level: i32, text: *const c_char) {
    // SAFETY: the argument of `set_log`; the text is NUL-terminated and valid during the call.
    let (logger, text) = unsafe { (&*logger.cast::<F>(), CStr::from_ptr(text)) };
    contain(|| logger(LogLevel::from_number(level), &text.to_string_lossy()));
}
