// SPDX-License-Identifier: Apache-2.0
//! Rust strings as texts of the C library.

use std::ffi::CString;

use crate::error::{Error, Result};
use crate::status::Status;

/// `INVALID_ARGUMENT`, in the name of the function that was given it, if the text contains a NUL.
pub(crate) fn terminated(text: &str, function: &str) -> Result<CString> {
    CString::new(text).map_err(|error| Error::new(Status::INVALID_ARGUMENT, function, &error.to_string()))
}
