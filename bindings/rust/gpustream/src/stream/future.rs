// SPDX-License-Identifier: Apache-2.0
//! Streams and events in async code, for any executor.

use std::fmt::{self, Debug, Formatter};
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::{Stream, StreamRef};
use crate::completion::Completion;
use crate::device::Device;
use crate::error::Result;
use crate::event::Event;

impl StreamRef {
    /// A future that is ready when the work submitted so far is done. It uses [`notify`](Self::notify): no thread waits
    /// and nothing polls. Dropping it does not affect the stream. Its output is the status of the work.
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
    /// async fn work(stream: &gpustream::Stream) -> gpustream::Result<()> {
    ///     stream.sleep(1_000_000)?;
    ///     stream.finished()?.await
    /// }
    /// block_on(work(&gpustream::Stream::new()?))?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`notify`](Self::notify).
    pub fn finished(&self) -> Result<Finished> {
        let completion = Arc::new(Completion::new());
        let setter = completion.clone();
        self.notify(move |result| setter.complete(result))?;
        Ok(Finished { completion })
    }
}

/// `(&event).await` is ready when the work that the event covers now is done. No thread waits and nothing polls.
///
/// If the work is not done already, a stream waits for the event; it comes from the pool, or is created if the pool is
/// empty. The output reports the errors of [`Event::query`], [`Event::wait`] and
/// [`StreamBuilder::build`](crate::StreamBuilder::build).
impl IntoFuture for &Event {
    type Output = Result<()>;
    type IntoFuture = Finished;

    fn into_future(self) -> Finished {
        notified(self).unwrap_or_else(|error| Finished::ready(Err(error)))
    }
}

fn notified(event: &Event) -> Result<Finished> {
    // The query also refuses an event that was recorded in a capture, which the other stream would otherwise join.
    if event.query()? {
        return Ok(Finished::ready(Ok(())));
    }
    let device = event.device()?.unwrap_or(Device::CURRENT);
    let stream = Stream::builder().device(device).build()?;
    stream.wait_event(event)?;
    stream.finished()
}

/// Ready when the work submitted before its creation is done; from [`StreamRef::finished`] or an awaited [`Event`].
#[must_use = "futures do nothing unless polled"]
pub struct Finished {
    completion: Arc<Completion>,
}

impl Finished {
    fn ready(result: Result<()>) -> Self {
        let completion = Completion::new();
        completion.complete(result);
        Self { completion: Arc::new(completion) }
    }
}

impl Future for Finished {
    type Output = Result<()>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        self.completion.poll(context.waker())
    }
}

impl Debug for Finished {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Finished").finish_non_exhaustive()
    }
}
