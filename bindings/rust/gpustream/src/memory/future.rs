// SPDX-License-Identifier: Apache-2.0
//! Copies in async code.

use std::fmt::{self, Debug, Formatter};
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::{Pending, WaitError};
use crate::wait::Finished;

/// `pending.await` is [`Pending::wait`] without a waiting thread. Work submitted to the stream later is not waited for.
///
/// ```
/// # use tokio::runtime::Builder;
/// # fn block_on<F: Future>(work: F) -> F::Output { Builder::new_current_thread().build().unwrap().block_on(work) }
/// use gpustream::{DeviceBuffer, HostBuffer, Stream};
///
/// async fn fetch(buffer: DeviceBuffer) -> gpustream::Result<(DeviceBuffer, HostBuffer)> {
///     let host = HostBuffer::new(buffer.len())?;
///     Ok(buffer.read(host)?.await?)
/// }
/// let (_buffer, host) = block_on(fetch(DeviceBuffer::new(&Stream::new()?, 4)?))?;
/// assert_eq!(*host, [0; 4]);
/// # Ok::<(), gpustream::Error>(())
/// ```
impl<T: Send + 'static> IntoFuture for Pending<T> {
    type Output = Result<T, WaitError<T>>;
    type IntoFuture = PendingFuture<T>;

    fn into_future(self) -> PendingFuture<T> {
        let finished = (&self.done).into_future();
        PendingFuture { pending: Some(self), finished }
    }
}

/// Returns the value of a [`Pending`] when the work is done. Dropping it drops the [`Pending`].
#[must_use = "futures do nothing unless polled"]
pub struct PendingFuture<T: Send + 'static> {
    pending: Option<Pending<T>>,
    finished: Finished,
}

// The value is never pinned.
impl<T: Send + 'static> Unpin for PendingFuture<T> {}

impl<T: Send + 'static> Future for PendingFuture<T> {
    type Output = Result<T, WaitError<T>>;

    /// Panics if it is polled again after it has returned the value, as most futures do.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let result = ready!(Pin::new(&mut self.finished).poll(context));
        let pending = self.pending.take().expect("polled after it was ready");
        Poll::Ready(match result {
            Ok(()) => Ok(pending.into_value()),
            Err(error) => Err(WaitError { error, pending }),
        })
    }
}

impl<T: Send + 'static> Debug for PendingFuture<T> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("PendingFuture").field("pending", &self.pending).finish_non_exhaustive()
    }
}
