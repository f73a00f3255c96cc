// SPDX-License-Identifier: Apache-2.0
//! Sync debugging: finding the calls that block on a device.

use gpustream_sys as sys;

use crate::call::{api, check, get};
use crate::error::{Error, Result};
use crate::numbers::closed;
use crate::status::Status;

sys::for_each_sync_debug_mode! {
    closed,
    /// What synchronizing calls do, for the whole process.
    SyncDebugMode
}

sys::for_each_sync_debug_scope! {
    closed,
    /// Which calls the mode applies to.
    SyncDebugScope
}

/// Sets what synchronizing calls do, for the whole process. Other threads see the change at their next synchronizing
/// call.
///
/// # Errors
///
/// The [common errors](crate#common-errors).
pub fn set_sync_debug_mode(mode: SyncDebugMode) -> Result<()> {
    // SAFETY: takes a number.
    check(unsafe { api()?.gs_set_sync_debug_mode(mode as i32) })
}

/// What synchronizing calls do.
///
/// # Errors
///
/// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): another language has set a mode that only a newer library knows. The
/// [common errors](crate#common-errors).
pub fn sync_debug_mode() -> Result<SyncDebugMode> {
    // SAFETY: the output is a local variable.
    let number = get(|api, out| unsafe { api.gs_get_sync_debug_mode(out) })?;
    SyncDebugMode::from_number(number).ok_or_else(|| unknown("gs_get_sync_debug_mode", number))
}

/// Sets which calls the mode applies to, for the whole process. Other threads see the change at their next
/// synchronizing call.
///
/// # Errors
///
/// The [common errors](crate#common-errors).
pub fn set_sync_debug_scope(scope: SyncDebugScope) -> Result<()> {
    // SAFETY: takes a number.
    check(unsafe { api()?.gs_set_sync_debug_scope(scope as i32) })
}

/// Which calls the mode applies to.
///
/// # Errors
///
/// As [`sync_debug_mode`].
pub fn sync_debug_scope() -> Result<SyncDebugScope> {
    // SAFETY: the output is a local variable.
    let number = get(|api, out| unsafe { api.gs_get_sync_debug_scope(out) })?;
    SyncDebugScope::from_number(number).ok_or_else(|| unknown("gs_get_sync_debug_scope", number))
}

/// Another language in the process may have set a value that only a newer library knows.
fn unknown(function: &str, number: i32) -> Error {
    Error::new(Status::NOT_SUPPORTED, function, &format!("this crate does not know the number {number}"))
}
