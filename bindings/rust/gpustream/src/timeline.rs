// SPDX-License-Identifier: Apache-2.0
//! Timelines: numbers that only grow, which streams and threads signal and wait for.

use std::time::Duration;

use gpustream_sys::{GS_TIMELINE_SIGNAL_FIRST, gs_timeline_t};

use crate::call::{call, read};
use crate::counted::{counted, handle, shown_by_handle};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::limit::limit_ns;
use crate::status::Status;
use crate::stream::StreamRef;
use crate::wait::Finished;

/// A number that only grows. Streams and threads signal it, which raises it to a value, and wait until it has reached
/// one. A wait may come before its signal is submitted, or known. Streams of all devices of the timeline's backend may
/// use it. Values are below 2^63 - 1.
///
/// A clone is another reference to the same timeline; equality and hash are those of the timeline. Dropping the last one
/// lets streams that wait for it go on although their waits were not met; signals that were submitted still happen. Once a timeline is aborted, its functions return
/// the status of the abort.
///
/// ```
/// use gpustream::{Stream, Timeline};
///
/// let (producer, consumer) = (Stream::new()?, Stream::new()?);
/// let ready = Timeline::new()?;
/// ready.wait(&consumer, 1)?; // first: the consumer's later work waits
/// producer.sleep(1_000_000)?; // in place of real work
/// ready.signal(&producer, 1)?;
/// consumer.synchronize()?;
/// assert_eq!(ready.value()?, 1);
/// # Ok::<(), gpustream::Error>(())
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Timeline {
    raw: gs_timeline_t,
}

impl Timeline {
    /// Creates a timeline of the current device's backend, at 0.
    pub fn new() -> Result<Self> {
        Self::with_initial(Device::CURRENT, 0)
    }

    /// Creates a timeline with a first value. Its memory is registered in the name of the device. Does not block.
    pub fn with_initial(device: Device, initial: u64) -> Result<Self> {
        Self::with_flags(device, initial, 0)
    }

    /// Creates a timeline for which streams wait only after the signal was submitted. A signal is then one driver call less,
    /// and [`value`](Self::value) asks the driver, so it cannot be read in host functions. Does not block.
    pub fn signal_first(device: Device, initial: u64) -> Result<Self> {
        Self::with_flags(device, initial, GS_TIMELINE_SIGNAL_FIRST)
    }

    fn with_flags(device: Device, initial: u64, flags: u32) -> Result<Self> {
        read!(gs_timeline_create(device.as_raw(), initial, flags)).map(|raw| Self { raw })
    }
}

handle! { Timeline, gs_timeline_t, "gs_timeline_destroy" }
shown_by_handle! { Timeline }

counted! {
    Timeline, "timeline",
    retain: |api, raw| api.gs_timeline_retain(raw),
    destroy: |api, raw| api.gs_timeline_destroy(raw),
    same: |timeline| Self { raw: timeline.raw },
}

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

impl Timeline {
    /// Blocks until the timeline has reached a value, as [`set_wait_mode`](crate::set_wait_mode) says; the thread sleeps
    /// while no signal is submitted.
    pub fn synchronize(&self, value: u64) -> Result<()> {
        call!(gs_timeline_synchronize(self.as_handle(), value, -1))
    }

    /// As [`synchronize`](Self::synchronize), for at most that long. A limit that passes changes nothing.
    pub fn synchronize_for(&self, value: u64, limit: Duration) -> Result<()> {
        call!(gs_timeline_synchronize(self.as_handle(), value, limit_ns(limit)))
    }

    /// A future that is ready when the timeline has reached a value. Its output is the status of an
    /// [abort](Self::abort), or [`INVALID_HANDLE`](Status::INVALID_HANDLE) if the timeline ends first: the future is no
    /// reference.
    ///
    /// It runs in every executor. No stream waits for it, but one thread for all futures of a timeline.
    ///
    /// ```
    /// # use tokio::runtime::Builder;
    /// # fn block_on<F: Future>(work: F) -> F::Output { Builder::new_current_thread().build().unwrap().block_on(work) }
    /// use gpustream::{Stream, Timeline};
    ///
    /// async fn produced(ready: &Timeline) -> gpustream::Result<()> {
    ///     ready.reached(1)?.await
    /// }
    /// let (stream, ready) = (Stream::new()?, Timeline::new()?);
    /// ready.signal(&stream, 1)?;
    /// block_on(produced(&ready))?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn reached(&self, value: u64) -> Result<Finished> {
        if value >= i64::MAX as u64 {
            let text = format!("values of timelines are below 2^63 - 1; {value:#x} is not");
            return Err(Error::new(Status::INVALID_ARGUMENT, "Timeline::reached", &text));
        }
        if self.value()? >= value { Ok(Finished::over(Ok(()))) } else { Finished::at(self.as_handle(), value) }
    }
}
