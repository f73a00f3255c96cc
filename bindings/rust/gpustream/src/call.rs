// SPDX-License-Identifier: Apache-2.0
//! The one place where statuses and outputs of C become `Result`.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use gpustream_sys::{self as sys, Api, MissingSymbol, gs_status_t};

use crate::error::{Error, Result};

/// What a call through [`Api`] gives.
pub(crate) type Called<T> = std::result::Result<T, MissingSymbol>;

#[inline]
pub(crate) fn api() -> Result<&'static Api> {
    // Nothing but a test for null on the way of every call.
    match sys::loaded() {
        Some(api) => Ok(api),
        None => load(),
    }
}

#[cold]
fn load() -> Result<&'static Api> {
    sys::api().map_err(Error::not_loaded)
}

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
/// All bits zero must be a value.
pub(crate) unsafe trait Output: Copy {}
// SAFETY: numbers and raw pointers.
unsafe impl Output for i32 {}
// SAFETY: as above.
unsafe impl Output for u32 {}
// SAFETY: as above.
unsafe impl Output for i64 {}
// SAFETY: as above.
unsafe impl Output for u64 {}
// SAFETY: as above.
unsafe impl Output for usize {}
// SAFETY: as above.
unsafe impl Output for f64 {}
// SAFETY: as above.
unsafe impl<T> Output for *mut T {}

/// Calls a function with one output.
#[inline(always)]
#[allow(clippy::inline_always)]
pub(crate) fn get<T: Output>(call: impl FnOnce(&'static Api, *mut T) -> Called<gs_status_t>) -> Result<T> {
    let mut output = MaybeUninit::<T>::zeroed();
    check(call(api()?, output.as_mut_ptr()))?;
    // SAFETY: zeroed is a value, whatever was written since.
    Ok(unsafe { output.assume_init() })
}

/// Calls a function whose output is a truth value.
#[inline(always)]
#[allow(clippy::inline_always)]
pub(crate) fn get_bool(call: impl FnOnce(&'static Api, *mut i32) -> Called<gs_status_t>) -> Result<bool> {
    get(call).map(|number| number != 0)
}

/// A text of the library that is never freed.
pub(crate) fn static_text(text: *const c_char) -> &'static str {
    if text.is_null() {
        return "";
    }
    // SAFETY: the library's own texts are NUL-terminated and live as long as the process.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("(not UTF-8)")
}

/// A text in an array of a struct; the library terminates it.
pub(crate) fn array_text(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().take_while(|&&byte| byte != 0).map(|&byte| byte.cast_unsigned_byte()).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `c_char` is signed on some platforms and unsigned on others.
trait CastUnsignedByte {
    fn cast_unsigned_byte(self) -> u8;
}

impl CastUnsignedByte for i8 {
    fn cast_unsigned_byte(self) -> u8 {
        self.to_ne_bytes()[0]
    }
}

impl CastUnsignedByte for u8 {
    fn cast_unsigned_byte(self) -> u8 {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_the_first_nul() {
        let mut array = [0; 8];
        for (to, from) in array.iter_mut().zip(b"ab\xff") {
            *to = *from as c_char;
        }
        array[5] = b'x' as c_char;
        assert_eq!(array_text(&array), "ab\u{fffd}");
        assert_eq!(array_text(&[]), "");
    }

    #[test]
    fn text_without_a_nul_is_not_read_beyond_its_array() {
        assert_eq!(array_text(&[b'a' as c_char; 3]), "aaa");
    }

    #[test]
    fn no_text_is_empty() {
        assert_eq!(static_text(std::ptr::null()), "");
        assert_eq!(static_text(c"text".as_ptr()), "text");
    }
}
