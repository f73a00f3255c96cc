// SPDX-License-Identifier: Apache-2.0
//! Waits for one record of an event, and single records and waits that become nodes of a graph.

use gpustream_sys::{self as sys, GS_EVENT_EXTERNAL};

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
    /// The number of the event's present record, for [`StreamRef::wait_generation`]: 0 if it was never recorded, 1 for
    /// the first record, and so on. Records that other code, other processes and launches of graphs make are not
    /// counted. Does not block. The first call for an event must not run at the same time as a record of it.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`](Status::INVALID_HANDLE): not a live event. The [getter errors](crate#getter-errors).
    pub fn generation(&self) -> Result<u64> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_event_generation(self.as_handle(), out) })
    }

    /// Records the event as [`record`](Self::record) does, unless it has a record already; returns whether it did. Threads
    /// must not race for the first record. Does not block.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn record_once(&self, stream: &StreamRef) -> Result<bool> {
        let first = self.generation()? == 0;
        if first {
            self.record(stream)?;
        }
        Ok(first)
    }

    /// Records the event as [`record`](Self::record) does. If the stream is being captured, this record becomes a node
    /// of the graph, whose launches record the event. Does not block.
    ///
    /// # Errors
    ///
    /// As [`record`](Self::record).
    pub fn record_external(&self, stream: &StreamRef) -> Result<()> {
        // SAFETY: takes handles.
        check(unsafe { api()?.gs_event_record_with_flags(self.as_handle(), stream.as_handle(), GS_EVENT_EXTERNAL) })
    }

    /// Makes a stream wait as [`wait`](Self::wait) does. If the stream is being captured, this wait becomes a node of the
    /// graph: a launch waits for the record that the event has then. Does not block.
    ///
    /// # Errors
    ///
    /// As [`wait`](Self::wait).
    pub fn wait_external(&self, stream: &StreamRef) -> Result<()> {
        // SAFETY: takes handles.
        check(unsafe { api()?.gs_event_wait_with_flags(self.as_handle(), stream.as_handle(), GS_EVENT_EXTERNAL) })
    }
}

impl StreamRef {
    /// Makes this stream wait for one record of an event, by its [number](Event::generation), which must still be the
    /// event's present one. The caller does not block.
    ///
    /// # Errors
    ///
    /// As [`Event::wait`], and: [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the number is 0.
    /// [`NOT_RECORDED`](Status::NOT_RECORDED): the record was not made yet, or a later one has taken its place; then the
    /// stream does not wait, unless another thread recorded the event during the call.
    /// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): the event may be recorded without the library's knowledge.
    pub fn wait_generation(&self, event: &Event, generation: u64) -> Result<()> {
        // SAFETY: takes handles and a number.
        check(unsafe { api()?.gs_stream_wait_generation(self.as_handle(), event.as_handle(), generation) })
    }
}
