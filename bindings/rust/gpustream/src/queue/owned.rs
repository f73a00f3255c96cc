// SPDX-License-Identifier: Apache-2.0
//! The owner of a queue's reference.

use std::os::fd::{BorrowedFd, RawFd};
use std::time::Duration;

use gpustream_sys::gs_queue_t;

use super::Completion;
use crate::call::{call, get, read};
use crate::counted::{counted, handle, shown_by_handle};
use crate::error::Result;
use crate::event::Event;
use crate::limit::limit_ns;
use crate::stream::StreamRef;

/// A queue that reports when points of streams are reached, on all devices and to any number of threads.
///
/// Each successful add is followed by exactly one entry with its token, also if the work fails or the stream or event is
/// dropped. Entries come in an order that agrees with happens-before: that of work which waits for other work follows
/// that of the other. No function of the program runs on a thread of the library. A clone is another reference to the
/// same queue and equals it; with the last one the queue and its entries end.
///
/// Futures ([`StreamRef::finished`], awaited events) need no queue of the program's own.
///
/// ```
/// use std::time::Duration;
/// use gpustream::{Completion, CompletionQueue, Event, Stream};
///
/// let (queue, streams) = (CompletionQueue::new(64)?, [Stream::new()?, Stream::new()?]);
/// for (token, stream) in streams.iter().enumerate() {
///     stream.sleep(100_000)?;
///     queue.add_stream(stream, token as u64)?;
/// }
/// let (mut room, mut seen) = ([Completion::EMPTY; 16], 0);
/// while seen < 2 {
///     for entry in queue.wait(&mut room, Some(Duration::from_secs(60)))? {
///         entry.result()?;
///         seen += 1;
///     }
/// }
/// # Ok::<(), gpustream::Error>(())
/// ```
#[derive(PartialEq, Eq)]
pub struct CompletionQueue {
    raw: gs_queue_t,
}

impl CompletionQueue {
    /// Creates a queue that holds at most `capacity` entries: those added and not yet taken. Does not block.
    pub fn new(capacity: u32) -> Result<Self> {
        read!(gs_queue_create(capacity, 0)).map(|raw| Self { raw })
    }

    /// Adds the work submitted to a stream so far. The stream may be dropped at once. Does not block.
    pub fn add_stream(&self, stream: &StreamRef, token: u64) -> Result<()> {
        call!(gs_queue_add_stream(self.raw, stream.as_handle(), token))
    }

    /// Adds the record that an event has now; one that was never recorded is complete. The event may be dropped or
    /// recorded again at once. Does not block.
    pub fn add_event(&self, event: &Event, token: u64) -> Result<()> {
        call!(gs_queue_add_event(self.raw, event.as_handle(), token))
    }

    /// Delivers the entries with a token now, with [`CANCELLED`](crate::Status::CANCELLED). Returns how many; those
    /// delivered before, and the work, are not affected. Does not block.
    pub fn cancel(&self, token: u64) -> Result<usize> {
        read!(gs_queue_cancel(self.raw, token))
    }

    /// Makes every thread in [`wait`](Self::wait), or else the next one, return without entries. Does not block.
    pub fn wake(&self) -> Result<()> {
        call!(gs_queue_wake(self.raw))
    }

    /// Takes the entries that wait, as many as there is room for, and returns them. Does not block.
    pub fn poll<'a>(&self, room: &'a mut [Completion]) -> Result<&'a [Completion]> {
        // SAFETY: the list has room for that many entries, and the output is a local variable.
        let count = get(|api, out| unsafe { api.gs_queue_poll(self.raw, room.as_mut_ptr().cast(), room.len(), out) })?;
        Ok(&room[..count])
    }

    /// Blocks until there are entries, and takes them as [`poll`](Self::poll). Returns none after
    /// [`wake`](Self::wake). Without a limit it waits as long as it takes, also for entries that other threads add.
    pub fn wait<'a>(&self, room: &'a mut [Completion], limit: Option<Duration>) -> Result<&'a [Completion]> {
        let limit = limit.map_or(-1, limit_ns);
        // SAFETY: as above.
        let count =
            get(|api, out| unsafe { api.gs_queue_wait(self.raw, room.as_mut_ptr().cast(), room.len(), limit, out) })?;
        Ok(&room[..count])
    }

    /// A descriptor that is readable while entries wait, and after [`wake`](Self::wake): for `poll` and `epoll`. It must
    /// not be read, written or closed. For runtimes that own what they poll use [`into_fd`](Self::into_fd). Does not
    /// block.
    pub fn fd(&self) -> Result<BorrowedFd<'_>> {
        // SAFETY: the queue keeps the descriptor open as long as it lives.
        self.raw_fd().map(|fd| unsafe { BorrowedFd::borrow_raw(fd) })
    }

    pub(super) fn raw_fd(&self) -> Result<RawFd> {
        read!(gs_queue_fd(self.raw))
    }
}

handle! { CompletionQueue, gs_queue_t, "gs_queue_destroy" }
shown_by_handle! { CompletionQueue }

counted! {
    CompletionQueue, "queue",
    retain: |api, raw| api.gs_queue_retain(raw),
    destroy: |api, raw| api.gs_queue_destroy(raw),
    same: |queue| Self { raw: queue.raw },
}
