// SPDX-License-Identifier: Apache-2.0
//! The function that receives reports.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use crate::call::{api, check};
use crate::callback::{contain, register_forever};
use crate::error::Result;

/// Sets the function that receives reports, for the whole process: the text for people, and the same as JSON. `None`
/// restores the default, which writes the text to stderr. Does not block.
///
/// The function runs on the thread whose access completed the race, inside its call, and may make only calls that are
/// allowed in a function of [`StreamRef::launch_host`](crate::StreamRef::launch_host). A panic in it is contained. It is
/// never dropped: when another one is set, a thread may still be in it.
pub fn set_check_callback<F: Fn(&str, &str) + Send + Sync + 'static>(function: Option<F>) -> Result<()> {
    let api = api()?;
    let Some(function) = function else {
        // SAFETY: no function, and no argument.
        return check(unsafe { api.gs_set_check_callback(None, null_mut()) });
    };
    // SAFETY: the function is for such an argument, which lives as long as the program.
    register_forever(function, |arg| check(unsafe { api.gs_set_check_callback(Some(pass_on::<F>), arg) }))
}

unsafe extern "C" fn pass_on<F: Fn(&str, &str)>(function: *mut c_void, text: *const c_char, json: *const c_char) {
    // SAFETY: the argument of `set_check_callback`; both texts are NUL-terminated and valid during the call.
    let (function, text, json) = unsafe { (&*function.cast::<F>(), CStr::from_ptr(text), CStr::from_ptr(json)) };
    contain(|| function(&text.to_string_lossy(), &json.to_string_lossy()));
}
