// SPDX-License-Identifier: Apache-2.0
//! Signals, waits of streams, and the end of a timeline.

use super::Timeline;
use crate::call::{api, check, get};
use crate::error::Result;
use crate::status::Status;
use crate::stream::StreamRef;

impl Timeline {
    /// The value now. What was done before its signal is visible to the caller. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_HANDLE`](Status::INVALID_HANDLE): not a live timeline. The status of an [abort](Self::abort). The
    /// [getter errors](crate#getter-errors).
    pub fn value(&self) -> Result<u64> {
        // SAFETY: the output is a local variable.
        get(|api, out| unsafe { api.gs_timeline_value(self.as_handle(), out) })
    }

    /// Raises the timeline when the work submitted to a stream so far is done. Signals happen in the order of their
    /// values: if another stream has a smaller one to come, this one waits for it. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the value is not above the timeline's, is 2^63 - 1 or above, was
    /// submitted already, or a larger one is submitted that could happen first. [`DEADLOCK`](Status::DEADLOCK): a circle
    /// of streams would wait for each other; the message names each of them, and nothing was submitted.
    /// [`INVALID_HANDLE`](Status::INVALID_HANDLE): not a live timeline or stream.
    /// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): different backends, or the device has no stream memory operations.
    /// [`CAPTURING`](Status::CAPTURING): the stream is being captured, and goes on so. The status of an
    /// [abort](Self::abort). The [start](crate#start-errors), [driver](crate#driver-errors) and
    /// [call errors](crate#call-errors).
    pub fn signal(&self, stream: &StreamRef, value: u64) -> Result<()> {
        // SAFETY: takes handles and a number.
        check(unsafe { api()?.gs_stream_signal_timeline(stream.as_handle(), self.as_handle(), value) })
    }

    /// Makes work submitted to a stream from now on wait until the timeline has reached a value. The signal may come
    /// later, from a stream or a thread. If the timeline is aborted or ends first, the stream goes on nevertheless. On
    /// CUDA a stream that waits before the signal is submitted may hold up others that share its hardware queue. The
    /// caller does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the value is 2^63 - 1 or above.
    /// [`INVALID_HANDLE`](Status::INVALID_HANDLE): not a live timeline or stream.
    /// [`NOT_SUPPORTED`](Status::NOT_SUPPORTED): different backends; the device has no stream memory operations; it has
    /// none of 64 bits and the value is 2^31 or more ahead. [`CAPTURING`](Status::CAPTURING): the stream is being
    /// captured, and goes on so. The status of an [abort](Self::abort). The [start](crate#start-errors),
    /// [driver](crate#driver-errors) and [call errors](crate#call-errors).
    pub fn wait(&self, stream: &StreamRef, value: u64) -> Result<()> {
        // SAFETY: takes handles and a number.
        check(unsafe { api()?.gs_stream_wait_timeline(stream.as_handle(), self.as_handle(), value) })
    }

    /// Raises the timeline at once, on this thread; also inside a function of
    /// [`launch_host`](StreamRef::launch_host). Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): the value is not above the timeline's, is 2^63 - 1 or above, or
    /// would overtake a signal that is submitted to a stream. [`INVALID_HANDLE`](Status::INVALID_HANDLE): not a live
    /// timeline. [`STICKY`](Status::STICKY) and [`CONTEXT_LOST`](Status::CONTEXT_LOST): see the
    /// [driver errors](crate#driver-errors). The status of an [abort](Self::abort). The
    /// [getter errors](crate#getter-errors).
    pub fn set(&self, value: u64) -> Result<()> {
        // SAFETY: takes a handle and a number.
        check(unsafe { api()?.gs_timeline_signal(self.as_handle(), value) })
    }

    /// Ends the timeline with a failure, as a rule [`ABORTED`](Status::ABORTED): streams that wait for it go on, although
    /// their waits were not met; threads and futures that wait, and all later calls, return the status. A second abort
    /// changes nothing. Does not block.
    ///
    /// # Errors
    ///
    /// [`INVALID_ARGUMENT`](Status::INVALID_ARGUMENT): not a failure, or [`TIMEOUT`](Status::TIMEOUT).
    /// [`INVALID_HANDLE`](Status::INVALID_HANDLE): not a live timeline. The [getter errors](crate#getter-errors).
    pub fn abort(&self, status: Status) -> Result<()> {
        // SAFETY: takes a handle and a number.
        check(unsafe { api()?.gs_timeline_abort(self.as_handle(), status.0) })
    }
}
