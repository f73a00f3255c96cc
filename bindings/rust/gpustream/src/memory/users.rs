// SPDX-License-Identifier: Apache-2.0
//! The streams that use a buffer. The first use in another stream than that of the allocation is ordered behind the
//! allocation; between uses in different streams nothing waits. The memory is freed behind all of them.

use std::ffi::c_void;
use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::call::{api, check};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::status::Status;
use crate::stream::{Stream, StreamRef};

const MANY: usize = 16;

pub(super) struct Users {
    /// The stream of the allocation.
    own: Stream,
    others: Mutex<Others>,
}

#[derive(Default)]
struct Others {
    /// Recorded behind the allocation when another stream first used the memory.
    begun: Option<Event>,
    users: Vec<User>,
}

struct User {
    stream: Stream,
    /// It may be given work at any time until the memory is freed.
    recorded: bool,
    entered: Arc<()>,
}

/// A use that a thread is about to submit. Until it is dropped, an idle stream counts as a user.
#[must_use]
pub(super) struct Use(#[allow(dead_code, reason = "it is counted")] Option<Arc<()>>);

impl Users {
    pub fn new(own: Stream) -> Self {
        Self { own, others: Mutex::default() }
    }

    pub fn own(&self) -> &Stream {
        &self.own
    }

    /// The stream that is given, or the current one of the memory's device.
    pub fn stream(&self, given: Option<&Stream>) -> Result<Stream> {
        match given {
            Some(stream) => stream.try_clone(),
            None => Stream::current(self.own.device()?),
        }
    }

    /// The stream is about to use the memory. The caller keeps the answer until the work is submitted.
    pub fn enter(&self, stream: &Stream) -> Result<Use> {
        if same(stream, &self.own) {
            return Ok(Use(None));
        }
        if let Some(known) = self.others().users.iter().find(|user| same(&user.stream, stream)) {
            return Ok(Use(Some(known.entered.clone())));
        }
        self.order(stream)?;
        self.note(stream, false)
    }

    /// The stream uses the memory by its address.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.note(stream, true).map(drop)
    }

    /// Frees the memory behind all of its uses.
    ///
    /// # Safety
    ///
    /// It is that of the allocation, and this is the only free. All uses have entered, or were recorded.
    pub unsafe fn free(&self, memory: *mut c_void) -> Result<()> {
        let others = self.others();
        if others.users.is_empty() {
            // SAFETY: the caller's obligation.
            let freed = unsafe { self.own.free(memory) };
            if !freed.as_ref().is_err_and(|error| error.status() == Status::CAPTURING) {
                return freed;
            }
        }
        let users = others.users.iter().map(|user| &user.stream);
        let all: Vec<_> = iter::once(&self.own).chain(users).map(|stream| stream.as_handle()).collect();
        // SAFETY: the caller's obligation; as many streams are read as there are.
        check(unsafe { api()?.gs_free_after(memory, all.as_ptr(), all.len()) })
    }

    fn others(&self) -> MutexGuard<'_, Others> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, stream: &Stream, recorded: bool) -> Result<Use> {
        let stream = for_all_threads(stream)?;
        let users = &mut self.others().users;
        if same(&stream, &self.own) {
            return Ok(Use(None));
        }
        if let Some(known) = users.iter_mut().find(|user| same(&user.stream, &stream)) {
            known.recorded |= recorded;
            return Ok(Use(Some(known.entered.clone())));
        }
        // A buffer that lives long would keep every stream that ever used it.
        if users.len() >= MANY && users.len().is_power_of_two() {
            let submitting = |user: &User| Arc::strong_count(&user.entered) > 1;
            users.retain(|user| user.recorded || submitting(user) || user.stream.query() != Ok(true));
        }
        let entered = Arc::default();
        users.push(User { stream, recorded, entered: Arc::clone(&entered) });
        Ok(Use(Some(entered)))
    }

    /// Makes the stream wait for the allocation. A graph cannot wait for work from outside of it, so the host does.
    fn order(&self, stream: &Stream) -> Result<()> {
        let is_captured = stream.is_capturing()?;
        let Some(begun) = self.begun()? else {
            if is_captured {
                return Ok(());
            }
            let text = "the buffer's stream is being captured, so that another one cannot wait for the allocation: use \
                        the buffer there before, or record_stream() it";
            return Err(Error::new(Status::CAPTURING, "DeviceBuffer", text));
        };
        if is_captured { begun.synchronize() } else { begun.wait(stream) }
    }

    /// `None`: no record can be made, since the stream of the allocation is being captured.
    fn begun(&self) -> Result<Option<Event>> {
        let mut others = self.others();
        if others.begun.is_none() && !self.own.is_capturing()? {
            others.begun = Some(self.own.record_new_event()?);
        }
        others.begun.as_ref().map(Event::try_clone).transpose()
    }
}

/// A per-thread stream is another one on each thread. The default stream's work comes after that of all of them.
pub(super) fn for_all_threads(stream: &Stream) -> Result<Stream> {
    if stream.is_per_thread()? { Stream::default_on(stream.device()?) } else { stream.try_clone() }
}

fn same(left: &StreamRef, right: &StreamRef) -> bool {
    left.as_handle() == right.as_handle()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another thread may forget idle streams between the call and the work.
    #[test]
    fn a_stream_that_is_about_to_submit_is_not_forgotten() {
        let users = Users::new(Stream::new().unwrap());
        let first = Stream::new().unwrap();
        let entered = users.enter(&first).unwrap();
        let use_in_others = || (0..2 * MANY).for_each(|_| drop(users.enter(&Stream::new().unwrap()).unwrap()));
        let is_user = || users.others().users.iter().any(|user| same(&user.stream, &first));
        use_in_others();
        assert!(is_user());
        drop(entered);
        users.own.synchronize().unwrap();
        first.synchronize().unwrap();
        (0..2).for_each(|_| use_in_others());
        assert!(!is_user());
    }
}
