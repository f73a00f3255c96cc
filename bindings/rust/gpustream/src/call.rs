// SPDX-License-Identifier: Apache-2.0
//! Turns the statuses and outputs of C calls into `Result`.

use std::ffi::CString;
use std::mem::MaybeUninit;

use gpustream_sys::{self as sys, Api, MissingSymbol, gs_status_t};

use crate::error::{Error, Result};
use crate::reaper::defer;
use crate::status::Status;

/// The result of a call through [`Api`], before its status is checked.
pub(crate) type Called<T> = std::result::Result<T, MissingSymbol>;

/// The loaded library. Costs one test for null once it is loaded.
#[inline]
pub(crate) fn api() -> Result<&'static Api> {
    match sys::loaded() {
        Some(api) => Ok(api),
        None => load(),
    }
}

#[cold]
fn load() -> Result<&'static Api> {
    sys::api().map_err(Error::not_loaded)
}

/// Turns a status into a `Result`; a failure takes the calling thread's error record with it.
#[inline(always)]
#[allow(clippy::inline_always)] // one comparison beside each call
pub(crate) fn check(called: Called<gs_status_t>) -> Result<()> {
    match called {
        Ok(sys::GS_OK) => Ok(()),
        other => Err(failed(other)),
    }
}

#[cold]
fn failed(called: Called<gs_status_t>) -> Error {
    match called {
        Ok(status) => Error::last(status),
        Err(missing) => Error::missing(missing),
    }
}

/// Types of scalar outputs.
///
/// # Safety
///
/// The bit pattern of all zeros must be a valid value.
pub(crate) unsafe trait Output: Copy {}
macro_rules! outputs {
    ($($number:ty)*) => { $(
        // SAFETY: zero is a number.
        unsafe impl Output for $number {}
    )* };
}
outputs! { i32 u32 i64 u64 usize f64 }
// SAFETY: zero is the null pointer.
unsafe impl<T> Output for *mut T {}

/// Calls a function with one output parameter and returns the output.
#[inline(always)]
#[allow(clippy::inline_always)]
pub(crate) fn get<T: Output>(call: impl FnOnce(&'static Api, *mut T) -> Called<gs_status_t>) -> Result<T> {
    let mut output = MaybeUninit::<T>::zeroed();
    check(call(api()?, output.as_mut_ptr()))?;
    // SAFETY: zero is a valid value, and so is what the function wrote.
    Ok(unsafe { output.assume_init() })
}

/// A text for C. `INVALID_ARGUMENT`, in the name of the function that was given it, if it contains a NUL.
pub(crate) fn terminated(text: impl Into<Vec<u8>>, function: &str) -> Result<CString> {
    CString::new(text).map_err(|error| Error::new(Status::INVALID_ARGUMENT, function, &error.to_string()))
}

/// A truth value of C.
pub(crate) fn truth(number: i32) -> bool {
    number != 0
}

/// Calls a function that takes handles, which the library checks, and numbers: `call!(gs_event_record(event, stream))`.
macro_rules! call {
    ($name:ident($($argument:expr),*)) => {
        // SAFETY: as above.
        $crate::call::check(unsafe { $crate::call::api()?.$name($($argument),*) })
    };
}
pub(crate) use call;

/// As [`call`], for a function with one output: `read!(gs_event_id(event))`.
macro_rules! read {
    ($name:ident($($argument:expr),*)) => {
        // SAFETY: as above, and the output is a local variable.
        $crate::call::get(|api, out| unsafe { api.$name($($argument,)* out) })
    };
}
pub(crate) use read;

/// As [`read`], for an output that is a struct.
macro_rules! fill {
    ($name:ident($($argument:expr),*)) => {{
        let mut filled = Default::default();
        // SAFETY: as above. The default of a struct states its size.
        $crate::call::check(unsafe { $crate::call::api()?.$name($($argument,)* &raw mut filled) }).map(|()| filled)
    }};
}
pub(crate) use fill;

/// Adds a reference of a handle for a clone; panics if that fails while references count.
///
/// Without a new reference a clone is sound only where the original's does not count either. That is so in a forked child,
/// where destroying does nothing; while no library is loaded; for a stale handle, whose reference another owner gave back;
/// and for the body of a conditional node, which belongs to its graph (`NOT_PERMITTED`).
#[inline]
pub(crate) fn add_reference(retain: impl FnOnce(&'static Api) -> Called<gs_status_t>) {
    must_retain(api().and_then(|api| check(retain(api))));
}

fn must_retain(retained: Result<()>) {
    match retained {
        Ok(()) => {}
        Err(error) if matches!(error.status(), Status::INVALID_HANDLE | Status::BAD_FORK | Status::NOT_PERMITTED) => {}
        Err(_) if sys::loaded().is_none() => {}
        Err(error) => panic!("cannot add a reference: {error}"),
    }
}

/// Releases a reference. A drop has no caller to report to; the library logs failures of the driver. Host functions may not
/// end what they drop: the crate's thread does.
#[inline]
pub(crate) fn give_back<T: 'static>(raw: *mut T, destroy: fn(&'static Api, *mut T) -> Called<gs_status_t>) {
    if let Some(api) = sys::loaded() {
        if destroy(api, raw) == Ok(sys::GS_ERROR_NOT_PERMITTED) {
            let number = raw.addr(); // a handle is a number
            defer(move || _ = destroy(api, std::ptr::without_provenance_mut(number)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handle_that_nothing_owns_may_be_copied() {
        must_retain(Ok(()));
        must_retain(Err(Error::new(Status::INVALID_HANDLE, "test", "stale")));
        must_retain(Err(Error::new(Status::BAD_FORK, "test", "in a child")));
        must_retain(Err(Error::new(Status::NOT_PERMITTED, "test", "a body")));
    }

    #[test]
    #[cfg_attr(miri, ignore = "loads the C library")]
    #[should_panic(expected = "cannot add a reference: test: exhausted (GS_ERROR_OUT_OF_MEMORY)")]
    fn handle_that_others_own_may_not() {
        sys::api().unwrap();
        must_retain(Err(Error::new(Status::OUT_OF_MEMORY, "test", "exhausted")));
    }
}
