// SPDX-License-Identifier: Apache-2.0
//! One queue and one thread for all futures of the process.
//!
//! A future's signal is its own token: an added point owns a reference to the signal, which its entry gives back. As each
//! add is followed by exactly one entry, no table of futures is needed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gpustream_sys as sys;

use super::signal::Signal;
use crate::callback::contain;
use crate::check::hand_over;
use crate::error::{Error, Result};
use crate::queue::{Completion, CompletionQueue};
use crate::status::Status;
use crate::thread;
use crate::thread::forked;

/// Started by the first future. It lives as long as the process.
static QUEUE: OnceLock<CompletionQueue> = OnceLock::new();

/// Adds a point with `add`, which gets the queue and a token; the signal is set when the point is reached.
pub(super) fn watch(
    signal: &Arc<Signal>,
    add: impl FnOnce(&CompletionQueue, u64) -> Result<()>,
) -> Result<&'static CompletionQueue> {
    let queue = queue()?;
    let owned = Arc::into_raw(signal.clone());
    match add(queue, token(owned)) {
        Ok(()) => Ok(queue),
        Err(error) => {
            // SAFETY: nothing was added, so the reference is still this function's.
            drop(unsafe { Arc::from_raw(owned) });
            Err(error)
        }
    }
}

/// Takes the point of a signal that the caller owns out of the queue, unless it has been reached. As long as the caller owns
/// it, no other signal can have the token.
pub(super) fn give_up(queue: &CompletionQueue, signal: &Arc<Signal>) {
    // The entry comes in either case and gives its reference back. In a forked child the call is refused.
    let _ = queue.cancel(token(Arc::as_ptr(signal)));
}

fn token(signal: *const Signal) -> u64 {
    signal.expose_provenance() as u64
}

fn queue() -> Result<&'static CompletionQueue> {
    static STARTING: Mutex<()> = Mutex::new(());
    // Before the lock: a thread that the child does not have may have held it.
    if forked() {
        return Err(Error::bare(Status::BAD_FORK, "gs_queue_create"));
    }
    if let Some(queue) = QUEUE.get() {
        return Ok(queue);
    }
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(queue) = QUEUE.get() {
        return Ok(queue);
    }
    // A failure is not remembered: the next future tries again.
    let queue = CompletionQueue::new(u32::MAX)?;
    let taken = queue.try_clone()?;
    thread::start("gpustream-async", move || serve(&taken)).map_err(|error| {
        Error::here(Status::SYSTEM, error.raw_os_error().unwrap_or(0), format!("no thread for futures: {error}"))
    })?;
    // SAFETY: the function may be called at any time; if it cannot be registered, the thread ends with the process.
    unsafe { libc::atexit(end) };
    Ok(QUEUE.get_or_init(|| queue))
}

/// Set when the process exits: what the wakers refer to may be gone from then on.
static ENDING: AtomicBool = AtomicBool::new(false);

extern "C" fn end() {
    ENDING.store(true, Ordering::Release);
    if let Some(queue) = QUEUE.get() {
        let _ = queue.wake();
    }
}

fn serve(queue: &CompletionQueue) {
    let mut room = [Completion::EMPTY; 64];
    while !ENDING.load(Ordering::Acquire) {
        match queue.wait(&mut room, None) {
            Ok(entries) => entries.iter().for_each(deliver),
            // Code of another language has given back references that were not its own.
            Err(error) if error.status() == Status::INVALID_HANDLE => return,
            // Out of memory: the entries stay in the queue.
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(1)),
        }
    }
}

fn deliver(entry: &Completion) {
    if ENDING.load(Ordering::Acquire) {
        return; // leaks the reference, as the process ends
    }
    #[allow(clippy::cast_possible_truncation)] // it was an address
    let signal = std::ptr::with_exposed_provenance::<Signal>(entry.token() as usize);
    // SAFETY: the reference that was given away when the point was added; this is its only entry.
    let signal = unsafe { Arc::from_raw(signal) };
    // The future of a cancelled point has been dropped.
    if entry.status().0 == sys::GS_ERROR_CANCELLED {
        contain(|| drop(signal));
        return;
    }
    hand_over();
    contain(|| signal.complete(entry.result()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "uses the C library")]
    fn refused_signal_is_freed() {
        let signal = Arc::new(Signal::new());
        let error = Error::bare(Status::INVALID_HANDLE, "test");
        assert_eq!(watch(&signal, |_, _| Err(error.clone())).map(|_| ()), Err(error));
        assert_eq!(Arc::strong_count(&signal), 1);
    }
}
