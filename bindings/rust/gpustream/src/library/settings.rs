// SPDX-License-Identifier: Apache-2.0
//! Sync debugging: finding the calls that block on a device.

use gpustream_sys as sys;

use crate::call::{call, read};
use crate::error::{Error, Result};
use crate::numbers::closed;
use crate::status::Status;

sys::for_each_enumerator! {
    sync_debug_mode, closed,
    /// What synchronizing calls do, for the whole process.
    SyncDebugMode
}

sys::for_each_enumerator! {
    sync_debug_scope, closed,
    /// Which calls the mode applies to.
    SyncDebugScope
}

/// Sets what synchronizing calls do, for the whole process. Other threads see the change at their next synchronizing
/// call.
pub fn set_sync_debug_mode(mode: SyncDebugMode) -> Result<()> {
    set_option(sys::GS_OPTION_SYNC_DEBUG_MODE, mode as i32)
}

/// What synchronizing calls do.
pub fn sync_debug_mode() -> Result<SyncDebugMode> {
    option(sys::GS_OPTION_SYNC_DEBUG_MODE, SyncDebugMode::from_number)
}

/// Sets which calls the mode applies to, for the whole process. Other threads see the change at their next
/// synchronizing call.
pub fn set_sync_debug_scope(scope: SyncDebugScope) -> Result<()> {
    set_option(sys::GS_OPTION_SYNC_DEBUG_SCOPE, scope as i32)
}

/// Which calls the mode applies to.
pub fn sync_debug_scope() -> Result<SyncDebugScope> {
    option(sys::GS_OPTION_SYNC_DEBUG_SCOPE, SyncDebugScope::from_number)
}

pub(crate) fn set_option(option: i32, value: i32) -> Result<()> {
    call!(gs_set_option(option, value.into()))
}

/// Another language in the process may have set a value that only a newer library knows.
pub(crate) fn option<T>(option: i32, from_number: fn(i32) -> Option<T>) -> Result<T> {
    let number = read!(gs_get_option(option))?;
    i32::try_from(number).ok().and_then(from_number).ok_or_else(|| {
        let text = format!("this crate does not know the number {number}");
        Error::new(Status::NOT_SUPPORTED, "gs_get_option", &text)
    })
}
