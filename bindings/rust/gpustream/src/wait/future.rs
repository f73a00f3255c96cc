// SPDX-License-Identifier: Apache-2.0
//! Streams and events in async code, for any executor.

use std::fmt::{self, Debug, Formatter};
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use gpustream_sys::gs_timeline_t;

use super::signal::Signal;
use super::{reactor, values};
use crate::check::hand_over;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::queue::CompletionQueue;
use crate::status::Status;
use crate::stream::StreamRef;
use crate::thread::forked;

impl StreamRef {
    /// A future that is ready when the work submitted so far is done. Its output is the status of the work.
    ///
    /// It runs in every executor. All futures of the process share one [queue](crate::CompletionQueue) and one thread,
    /// which sleeps until the library has something to tell. Dropping the future takes its entry out of the queue and
    /// does not affect the stream.
    ///
    /// ```
    /// # use tokio::runtime::Builder;
    /// # fn block_on<F: Future>(work: F) -> F::Output { Builder::new_current_thread().build().unwrap().block_on(work) }
    /// async fn work(stream: &gpustream::Stream) -> gpustream::Result<()> {
    ///     stream.sleep(1_000_000)?;
    ///     stream.finished()?.await
    /// }
    /// block_on(work(&gpustream::Stream::new()?))?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    pub fn finished(&self) -> Result<Finished> {
        Finished::of(|queue, token| queue.add_stream(self, token))
    }
}

/// `(&event).await` is ready when the work that the event covers now is done; later records do not matter. The output
/// reports the errors of [`Event::query`] and those of [`StreamRef::finished`].
impl IntoFuture for &Event {
    type Output = Result<()>;
    type IntoFuture = Finished;

    fn into_future(self) -> Finished {
        // Most often free of a driver call, and an event that is done needs no other thread.
        let finished = match self.query() {
            Ok(true) => return Finished::over(Ok(())),
            Ok(false) => Finished::of(|queue, token| queue.add_event(self, token)),
            Err(error) => Err(error),
        };
        finished.unwrap_or_else(|error| Finished::over(Err(error)))
    }
}

/// Ready when the work submitted before its creation is done, or a value is reached; from [`StreamRef::finished`], an
/// awaited [`Event`] or [`Timeline::reached`](crate::Timeline::reached).
/// Polled again after that, it returns the same result. In a forked child it is ready with
/// [`BAD_FORK`](Status::BAD_FORK).
#[must_use = "futures do nothing unless polled"]
pub struct Finished {
    state: State,
}

enum State {
    /// The queue will set the signal.
    Added {
        signal: Arc<Signal>,
        queue: &'static CompletionQueue,
    },
    /// A thread that waits for a timeline's value will set the signal.
    Watched {
        signal: Arc<Signal>,
    },
    Over(Result<()>),
}

impl Finished {
    pub(crate) fn over(result: Result<()>) -> Self {
        Self { state: State::Over(result) }
    }

    /// Ready when a timeline has reached a value.
    pub(crate) fn at(timeline: gs_timeline_t, value: u64) -> Result<Self> {
        let signal = Arc::new(Signal::new());
        values::watch(timeline, value, &signal)?;
        Ok(Self { state: State::Watched { signal } })
    }

    fn of(add: impl FnOnce(&CompletionQueue, u64) -> Result<()>) -> Result<Self> {
        let signal = Arc::new(Signal::new());
        let queue = reactor::watch(&signal, add)?;
        Ok(Self { state: State::Added { signal, queue } })
    }
}

impl Future for Finished {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        match &self.state {
            State::Over(result) => Poll::Ready(result.clone()),
            // Before the signal is touched: the thread that would set it may have held its lock.
            State::Added { .. } | State::Watched { .. } if forked() => {
                Poll::Ready(Err(Error::bare(Status::BAD_FORK, "Finished")))
            }
            State::Added { signal, .. } | State::Watched { signal, .. } => {
                let result = ready!(signal.poll(context.waker()));
                hand_over();
                self.state = State::Over(result.clone());
                Poll::Ready(result)
            }
        }
    }
}

impl Drop for Finished {
    /// Takes the point out of the queue unless it has been reached.
    fn drop(&mut self) {
        if let State::Added { signal, queue } = &self.state
            && !forked()
            && !signal.is_set()
        {
            reactor::give_up(queue, signal);
        }
    }
}

impl Debug for Finished {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Finished").finish_non_exhaustive()
    }
}
