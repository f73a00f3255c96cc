// SPDX-License-Identifier: Apache-2.0
//! The function that receives reports.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::call::{api, check};
use crate::callback::contain;
use crate::error::Result;

type Function = Box<dyn Fn(&str, &str) + Send + Sync>;

/// A function of the program's. It stays when another one replaces it, as a thread may still be in it.
#[repr(C)] // the function first: C's argument points to it
struct Receiver {
    function: Function,
    before: *mut Receiver,
}

static LAST: AtomicPtr<Receiver> = AtomicPtr::new(null_mut());

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
    let made = Box::into_raw(Box::new(Receiver { function: Box::new(function), before: null_mut() }));
    // SAFETY: the receiver lives as long as the program once the call succeeds.
    check(unsafe { api.gs_set_check_callback(Some(pass_on), made.cast()) }).inspect_err(|_| {
        // SAFETY: the library has refused it.
        drop(unsafe { Box::from_raw(made) });
    })?;
    let before = LAST.swap(made, Ordering::AcqRel);
    // SAFETY: nothing else accesses this field, which keeps the replaced one reachable.
    unsafe { (&raw mut (*made).before).write(before) };
    Ok(())
}

unsafe extern "C" fn pass_on(arg: *mut c_void, text: *const c_char, json: *const c_char) {
    // SAFETY: the argument of `set_check_callback` points to a function that is never freed.
    let function = unsafe { &*arg.cast::<Function>() };
    // SAFETY: both texts are NUL-terminated and valid during the call.
    let (text, json) = unsafe { (CStr::from_ptr(text), CStr::from_ptr(json)) };
    contain(|| function(&text.to_string_lossy(), &json.to_string_lossy()));
}
