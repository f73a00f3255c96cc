// SPDX-License-Identifier: Apache-2.0
//! Functions that run when the library is initialised.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use gpustream_sys::{self as sys, gs_status_t};

use crate::call::{api, check};
use crate::callback::contain;
use crate::error::{Error, Result};
use crate::status::Status;

/// The function until it is called; its error afterwards.
struct Queued<F> {
    function: Mutex<Option<F>>,
    error: Mutex<Option<Error>>,
}

/// Calls a function once the library is initialised: at once if it is, otherwise inside the call that initialises it,
/// on the thread of that call.
///
/// Functions run in the order of the calls, each once, and may call gpustream. The status of one that fails becomes
/// that of the initialising call; a panic counts as [`Status::INTERNAL`]. In a program that never initialises the library,
/// the function is leaked. Does not block.
///
/// Returns the function's own error if it was called at once. If it cannot be queued, it is dropped uncalled.
pub fn call_on_init<F: FnOnce() -> Result<()> + Send + 'static>(function: F) -> Result<()> {
    let api = api()?;
    let queued = Arc::new(Queued { function: Mutex::new(Some(function)), error: Mutex::new(None) });
    let arg = Arc::into_raw(queued.clone());
    // SAFETY: the argument is a reference of its own, which `run` takes over.
    let result = check(unsafe { api.gs_call_on_init(Some(run::<F>), arg.cast_mut().cast()) });
    if result.is_err() && lock(&queued.function).is_some() {
        // SAFETY: the library refused the function and will not call `run`.
        drop(unsafe { Arc::from_raw(arg) });
    }
    let own = lock(&queued.error).take();
    result.map_err(|error| own.unwrap_or(error))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

unsafe extern "C" fn run<F: FnOnce() -> Result<()>>(arg: *mut c_void) -> gs_status_t {
    // SAFETY: the library calls this once, with the argument from `call_on_init`.
    let queued = unsafe { Arc::from_raw(arg.cast::<Queued<F>>().cast_const()) };
    let function = lock(&queued.function).take();
    let Some(function) = function else { return sys::GS_ERROR_INTERNAL };
    let panicked = || Err(Error::new(Status::INTERNAL, "gs_call_on_init", "the function given to it panicked"));
    match contain(function).unwrap_or_else(panicked) {
        Ok(()) => sys::GS_OK,
        Err(error) => {
            let status = if error.status() == Status::OK { Status::INTERNAL } else { error.status() };
            *lock(&queued.error) = Some(error);
            status.0
        }
    }
}
