// SPDX-License-Identifier: Apache-2.0
//! Sync debugging: finding the calls that block on a device.

use gpustream_sys as sys;

use crate::call::{api, check, get};
use crate::error::{Error, Result};
use crate::status::Status;

/// What synchronizing calls do, for the whole process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum SyncDebugMode {
    /// They are silent.
    Default = sys::GS_SYNC_DEBUG_DEFAULT,
    /// They log a warning.
    Warn = sys::GS_SYNC_DEBUG_WARN,
    /// They return [`Status::SYNC_FORBIDDEN`] without waiting.
    Error = sys::GS_SYNC_DEBUG_ERROR,
}

/// Which calls the mode applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum SyncDebugScope {
    /// [`Stream::synchronize`](crate::StreamRef::synchronize) only, as `torch` does.
    Torch = sys::GS_SYNC_SCOPE_TORCH,
    /// Every call that blocks on device work.
    All = sys::GS_SYNC_SCOPE_ALL,
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
    Ok(match get(|api, out| unsafe { api.gs_get_sync_debug_mode(out) })? {
        sys::GS_SYNC_DEBUG_DEFAULT => SyncDebugMode::Default,
        sys::GS_SYNC_DEBUG_WARN => SyncDebugMode::Warn,
        sys::GS_SYNC_DEBUG_ERROR => SyncDebugMode::Error,
        other => return Err(unknown("gs_get_sync_debug_mode", other)),
    })
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
    Ok(match get(|api, out| unsafe { api.gs_get_sync_debug_scope(out) })? {
        sys::GS_SYNC_SCOPE_TORCH => SyncDebugScope::Torch,
        sys::GS_SYNC_SCOPE_ALL => SyncDebugScope::All,
        other => return Err(unknown("gs_get_sync_debug_scope", other)),
    })
}

/// Another language in the process may have set a value that only a newer library knows.
fn unknown(function: &str, number: i32) -> Error {
    Error::new(Status::NOT_SUPPORTED, function, &format!("this crate does not know the number {number}"))
}
