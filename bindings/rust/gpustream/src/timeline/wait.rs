// SPDX-License-Identifier: Apache-2.0
//! Threads and tasks that wait for a value.

use std::time::Duration;

use super::Timeline;
use crate::call::call;
use crate::error::{Error, Result};
use crate::limit::limit_ns;
use crate::status::Status;
use crate::wait::Finished;

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
    /// # use std::{future::Future, pin::pin, sync::Arc, task::{Context, Poll, Wake}, thread::{self, Thread}};
    /// # struct Unpark(Thread);
    /// # impl Wake for Unpark { fn wake(self: Arc<Self>) { self.0.unpark(); } }
    /// # fn block_on<F: Future>(future: F) -> F::Output {
    /// #     let (mut future, waker) = (pin!(future), Arc::new(Unpark(thread::current())).into());
    /// #     loop {
    /// #         match future.as_mut().poll(&mut Context::from_waker(&waker)) {
    /// #             Poll::Ready(output) => return output,
    /// #             Poll::Pending => thread::park(),
    /// #         }
    /// #     }
    /// # }
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
