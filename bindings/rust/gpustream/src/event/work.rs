// SPDX-License-Identifier: Apache-2.0
//! Recording events, waiting for them, and the time between two.

use super::Event;
use crate::call::{api, check, get, get_bool};
use crate::error::Result;
use crate::stream::StreamRef;

impl Event {
    /// Records the event: from now on it covers all work submitted to the stream before the call. Does not block. Of
    /// several records at the same time one is the last.
    ///
    /// The first record binds the event to the stream's device. Waits already submitted keep to the previous record.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live event or stream.
    /// [`DEVICE_MISMATCH`](crate::Status::DEVICE_MISMATCH): the event is bound to another device.
    /// [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED): it is bound to a device of another backend, or a capture of
    /// this driver cannot hold an external event. The [start](crate#start-errors), [driver](crate#driver-errors) and
    /// [call errors](crate#call-errors).
    #[inline]
    pub fn record(&self, stream: &StreamRef) -> Result<()> {
        // SAFETY: takes handles.
        check(unsafe { api()?.gs_event_record(self.as_handle(), stream.as_handle()) })
    }

    /// Makes a stream wait for the work that the event covers now. The caller does not block. Later records leave the
    /// wait as it is. An event before its first record has no effect.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live event or stream.
    /// [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED): they belong to different backends, or a capture of this driver
    /// cannot hold an external event. [`PEER_LOST`](crate::Status::PEER_LOST): the other process of an interprocess
    /// event is gone. The [start](crate#start-errors), [driver](crate#driver-errors) and [call
    /// errors](crate#call-errors).
    #[inline]
    pub fn wait(&self, stream: &StreamRef) -> Result<()> {
        // SAFETY: takes handles.
        check(unsafe { api()?.gs_event_wait(self.as_handle(), stream.as_handle()) })
    }

    /// Whether the work that the event covers is done; true if it was never recorded. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live event.
    /// [`CAPTURING`](crate::Status::CAPTURING): it was recorded in a capture; on CUDA the query breaks that capture.
    /// [`PEER_LOST`](crate::Status::PEER_LOST): the other process of an interprocess event is gone. The
    /// [driver](crate#driver-errors) and [call errors](crate#call-errors).
    #[inline]
    pub fn query(&self) -> Result<bool> {
        // SAFETY: the output is a local variable.
        get_bool(|api, out| unsafe { api.gs_event_query(self.as_handle(), out) })
    }

    /// Blocks until the work that the event covers is done. Spins unless the event has
    /// [`BLOCKING`](crate::EventFlags::BLOCKING). Returns at once if it was never recorded.
    ///
    /// # Errors
    ///
    /// As [`query`](Self::query), and: [`SYNC_FORBIDDEN`](crate::Status::SYNC_FORBIDDEN):
    /// [`SyncDebugMode::Error`](crate::SyncDebugMode::Error) with [`SyncDebugScope::All`](crate::SyncDebugScope::All).
    /// [`NOT_PERMITTED`](crate::Status::NOT_PERMITTED): also inside a notification.
    pub fn synchronize(&self) -> Result<()> {
        // SAFETY: takes a handle.
        check(unsafe { api()?.gs_event_synchronize(self.as_handle()) })
    }

    /// Time from this event's record to `end`'s, in milliseconds; negative if `end` was recorded first. Does not block.
    ///
    /// # Errors
    ///
    /// Checked in this order: [`TIMING_DISABLED`](crate::Status::TIMING_DISABLED): one has no timing.
    /// [`NOT_RECORDED`](crate::Status::NOT_RECORDED): one was never recorded.
    /// [`DEVICE_MISMATCH`](crate::Status::DEVICE_MISMATCH): they are bound to different devices, or
    /// [`NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED): to different backends. [`NOT_READY`](crate::Status::NOT_READY):
    /// the work of one is not done yet. Also [`INVALID_HANDLE`](crate::Status::INVALID_HANDLE): not a live event, and
    /// the [driver](crate#driver-errors) and [call errors](crate#call-errors).
    #[inline]
    pub fn elapsed_ms(&self, end: &Self) -> Result<f64> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_event_elapsed_ms(self.as_handle(), end.as_handle(), out) })
    }
}
