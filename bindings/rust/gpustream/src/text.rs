// SPDX-License-Identifier: Apache-2.0
//! Texts of the C library as Rust strings.

use std::ffi::{CStr, c_char, c_void};

use gpustream_sys::{self as sys, gs_status_t};

/// A static text of the library as `&str`; the empty string for null.
pub(crate) fn static_text(text: *const c_char) -> &'static str {
    if text.is_null() {
        return "";
    }
    // SAFETY: the library's static texts are NUL-terminated and live as long as the process.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("(not UTF-8)")
}

/// A text stored in an array of a C struct: everything before the first NUL, with invalid UTF-8 replaced.
pub(crate) fn array_text(text: &[c_char]) -> String {
    #[allow(clippy::unnecessary_cast)] // a char of C has a sign or not
    let bytes: Vec<u8> = text.iter().take_while(|&&byte| byte != 0).map(|&byte| byte as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Receives a piece of a text for a `Vec<u8>`, to which `arg` points.
pub(crate) unsafe extern "C" fn append(arg: *mut c_void, text: *const c_char, bytes: usize) -> gs_status_t {
    // SAFETY: the argument of the call that this runs in, which does not use it otherwise; the text has that size.
    unsafe { (*arg.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(text.cast(), bytes)) };
    sys::GS_OK
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
    fn null_is_the_empty_text() {
        assert_eq!(static_text(std::ptr::null()), "");
        assert_eq!(static_text(c"text".as_ptr()), "text");
    }
}
