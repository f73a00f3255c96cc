// SPDX-License-Identifier: Apache-2.0
//! Signals, waits of streams, and the end of a timeline.

use super::Timeline;
use crate::call::{call, read};
use crate::error::Result;
use crate::status::Status;
use crate::stream::StreamRef;

impl Timeline {
    /// The value now. What was done before its signal is visible to the caller. Does not block.
    pub fn value(&self) -> Result<u64> {
        read!(gs_timeline_value(self.as_handle()))
    }

    /// Raises the timeline when the work submitted to a stream so far is done. Signals happen in the order of their
    /// values: if another stream has a smaller one to come, this one waits for it. Does not block.
    pub fn signal(&self, stream: &StreamRef, value: u64) -> Result<()> {
        call!(gs_stream_signal_timeline(stream.as_handle(), self.as_handle(), value))
    }

    /// Makes work submitted to a stream from now on wait until the timeline has reached a value. The signal may come
    /// later, from a stream or a thread. If the timeline is aborted or ends first, the stream goes on nevertheless. On
    /// CUDA a stream that waits before the signal is submitted may hold up others that share its hardware queue. The
    /// caller does not block.
    pub fn wait(&self, stream: &StreamRef, value: u64) -> Result<()> {
        call!(gs_stream_wait_timeline(stream.as_handle(), self.as_handle(), value))
    }

    /// Raises the timeline at once, on this thread; also inside a function of
    /// [`launch_host`](StreamRef::launch_host). Does not block.
    pub fn set(&self, value: u64) -> Result<()> {
        call!(gs_timeline_signal(self.as_handle(), value))
    }

    /// Ends the timeline with a failure, as a rule [`ABORTED`](Status::ABORTED): streams that wait for it go on, although
    /// their waits were not met; threads and futures that wait, and all later calls, return the status. A second abort
    /// changes nothing. Does not block.
    pub fn abort(&self, status: Status) -> Result<()> {
        call!(gs_timeline_abort(self.as_handle(), status.0))
    }
}
