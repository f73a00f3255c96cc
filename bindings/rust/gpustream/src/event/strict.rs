// SPDX-License-Identifier: Apache-2.0
//! Events that were never recorded: what waits for them do, and first records.

use gpustream_sys as sys;

use super::Event;
use crate::call::{api, check, get};
use crate::error::{Error, Result};
use crate::numbers::closed;
use crate::status::Status;
use crate::stream::StreamRef;

sys::for_each_unrecorded_mode! {
    closed,
    /// What a wait for an event that was never recorded does, for the whole process.
    UnrecordedMode
}

/// Sets what waits for events that were never recorded do, for the whole process: those of streams and of threads.
///
/// # Errors
///
/// The [common errors](crate#common-errors).
pub fn set_unrecorded_mode(mode: UnrecordedMode) -> Result<()> {
    // SAFETY: takes a number.
    check(unsafe { api()?.gs_set_unrecorded_mode(mode as i32) })
}

/// What waits for events that were never recorded do.
///
/// # Errors
///
/// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): another language has set a mode that only a newer library knows. The
/// [common errors](crate#common-errors).
pub fn unrecorded_mode() -> Result<UnrecordedMode> {
    // SAFETY: the output is a local variable.
    let number = get(|api, out| unsafe { api.gs_get_unrecorded_mode(out) })?;
    UnrecordedMode::from_number(number).ok_or_else(|| {
        let text = format!("this crate does not know the number {number}");
        Error::new(Status::NOT_SUPPORTED, "gs_get_unrecorded_mode", &text)
    })
}

impl Event {
    /// Records the event as [`record`](Self::record) does, unless it has a record already; returns whether it did. Threads
    /// must not race for the first record. Does not block.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn record_once(&self, stream: &StreamRef) -> Result<bool> {
        let first = self.info()?.recorded == 0;
        if first {
            self.record(stream)?;
        }
        Ok(first)
    }
}
