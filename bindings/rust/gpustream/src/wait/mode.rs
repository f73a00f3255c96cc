// SPDX-License-Identifier: Apache-2.0
//! How threads wait.

use gpustream_sys as sys;

use crate::call::{api, check, get};
use crate::error::{Error, Result};
use crate::numbers::closed;
use crate::status::Status;

sys::for_each_wait_mode! {
    closed,
    /// How threads wait in blocking calls, for the whole process.
    WaitMode
}

/// Sets how threads wait in blocking calls, for the whole process; initially the environment variable `GPUSTREAM_WAIT`
/// says so. Waits that have begun are not affected.
///
/// # Errors
///
/// The [getter errors](crate#getter-errors).
pub fn set_wait_mode(mode: WaitMode) -> Result<()> {
    // SAFETY: takes a number.
    check(unsafe { api()?.gs_set_wait_mode(mode as i32) })
}

/// How threads wait in blocking calls.
///
/// # Errors
///
/// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): another language has set a mode that only a newer library knows. The
/// [getter errors](crate#getter-errors).
pub fn wait_mode() -> Result<WaitMode> {
    // SAFETY: the output is a local variable.
    let number = get(|api, out| unsafe { api.gs_get_wait_mode(out) })?;
    WaitMode::from_number(number).ok_or_else(|| {
        let text = format!("{number} is not known here");
        Error::new(Status::NOT_SUPPORTED, "gs_get_wait_mode", &text)
    })
}
