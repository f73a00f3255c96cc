// SPDX-License-Identifier: Apache-2.0
//! Queues in event loops.

use std::ops::Deref;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};

use super::CompletionQueue;
use crate::error::Result;

/// A [`CompletionQueue`] for an event loop that owns what it polls, such as tokio's `AsyncFd` or async-io's `Async`. Its
/// descriptor is readable while entries wait: take them with [`CompletionQueue::poll`] until there are none.
///
/// ```no_run
/// use gpustream::{Completion, CompletionQueue};
/// use tokio::io::Interest;
/// use tokio::io::unix::AsyncFd;
///
/// async fn take(queue: CompletionQueue) -> Result<(), Box<dyn std::error::Error>> {
///     // SAFETY: the queue keeps its descriptor open, and it is always the same.
///     let queue = unsafe { AsyncFd::register_with_interest(queue.into_fd()?, Interest::READABLE) }?;
///     let mut room = [Completion::EMPTY; 64];
///     loop {
///         let mut ready = queue.readable().await?;
///         // tokio reports that the descriptor became readable, not that it still is: take all.
///         while let taken @ [_, ..] = queue.get_ref().poll(&mut room)? {
///             for entry in taken {
///                 println!("{} is done: {:?}", entry.token(), entry.status());
///             }
///         }
///         ready.clear_ready();
///     }
/// }
/// ```
#[derive(Debug)]
pub struct QueueFd {
    queue: CompletionQueue,
    fd: RawFd,
}

impl CompletionQueue {
    /// The queue with its [descriptor](Self::fd), for event loops. Does not block.
    pub fn into_fd(self) -> Result<QueueFd> {
        let fd = self.raw_fd()?;
        Ok(QueueFd { queue: self, fd })
    }
}

impl Deref for QueueFd {
    type Target = CompletionQueue;

    fn deref(&self) -> &CompletionQueue {
        &self.queue
    }
}

impl AsRawFd for QueueFd {
    fn as_raw_fd(&self) -> RawFd {
        self.fd
    }
}

impl AsFd for QueueFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the queue keeps the descriptor open as long as it lives.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}
