// SPDX-License-Identifier: Apache-2.0
//! Queues of completions: the end of work in any number of streams, as entries to be taken; and queues in event loops.

use std::fmt::{self, Debug, Formatter};
use std::ops::Deref;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use gpustream_sys::{self as sys, gs_completion_t, gs_queue_t};

use crate::call::{call, get, read};
use crate::counted::{counted, handle, shown_by_handle};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::limit::limit_ns;
use crate::status::Status;
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

/// An entry of a [`CompletionQueue`](super::CompletionQueue): work that was added is done, has failed or was cancelled.
/// [`Completion::EMPTY`] makes room for entries.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Completion {
    raw: gs_completion_t,
}

impl Completion {
    /// Room for an entry.
    pub const EMPTY: Self = Self {
        raw: gs_completion_t {
            token: 0,
            status: 0,
            device: 0,
            native_code: 0,
            reserved: 0,
            time_ns: 0,
            reserved64: [0; 2],
        },
    };

    /// The token with which the work was added.
    pub fn token(&self) -> u64 {
        self.raw.token
    }

    /// The outcome of the work.
    ///
    /// [`CANCELLED`](crate::Status::CANCELLED): the entry was cancelled, which does not affect the work. Otherwise the
    /// status with which the work failed, with the driver's code.
    pub fn result(&self) -> Result<()> {
        match self.raw.status {
            sys::GS_OK => Ok(()),
            status => {
                let status = Status(status);
                Err(Error::here(status, self.raw.native_code, status.message().to_owned()))
            }
        }
    }

    /// The status alone.
    pub fn status(&self) -> Status {
        Status(self.raw.status)
    }

    /// The device of the work.
    pub fn device(&self) -> Device {
        Device::from_raw(self.raw.device)
    }

    /// When the completion was seen, as time of `CLOCK_MONOTONIC`.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.raw.time_ns)
    }
}

impl Debug for Completion {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.debug_struct("Completion")
            .field("token", &self.raw.token)
            .field("status", &self.status())
            .field("device", &self.device())
            .finish_non_exhaustive()
    }
}

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
