// SPDX-License-Identifier: Apache-2.0
//! Events that were never recorded: what waits for them do, and first records.

use gpustream_sys as sys;

use super::Event;
use crate::error::Result;
use crate::library::{option, set_option};
use crate::numbers::closed;
use crate::stream::StreamRef;

sys::for_each_unrecorded_mode! {
    closed,
    /// What a wait for an event that was never recorded does, for the whole process.
    UnrecordedMode
}

/// Sets what waits for events that were never recorded do, for the whole process: those of streams and of threads.
pub fn set_unrecorded_mode(mode: UnrecordedMode) -> Result<()> {
    set_option(sys::GS_OPTION_UNRECORDED_MODE, mode as i32)
}

/// What waits for events that were never recorded do.
pub fn unrecorded_mode() -> Result<UnrecordedMode> {
    option(sys::GS_OPTION_UNRECORDED_MODE, UnrecordedMode::from_number)
}

impl Event {
    /// Records the event as [`record`](Self::record) does, unless it has a record already; returns whether it did. Threads
    /// must not race for the first record. Does not block.
    pub fn record_once(&self, stream: &StreamRef) -> Result<bool> {
        let first = self.info()?.recorded == 0;
        if first {
            self.record(stream)?;
        }
        Ok(first)
    }
}
