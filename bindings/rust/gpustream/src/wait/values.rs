// SPDX-License-Identifier: Apache-2.0
//! Threads that wait for the values of timelines, for futures.
//!
//! The library's queues know streams and events only. A stream that waits for the value could be added to one, but may hold
//! up another stream that shares its hardware queue, maybe the one that signals. So a thread waits, for the smallest value
//! of each timeline.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use gpustream_sys::{self as sys, Api, gs_status_t, gs_timeline_t};

use super::signal::Signal;
use crate::call::{Called, api, check};
use crate::callback::contain;
use crate::check::hand_over;
use crate::error::{Error, Result};
use crate::status::Status;
use crate::thread;
use crate::thread::forked;

/// How long a thread may go on waiting for a value that no future waits for any more.
const SLICE_NS: i64 = 50_000_000;

/// No value of a timeline.
const NONE: u64 = u64::MAX;

/// What futures wait for, by the timeline's handle.
static TIMELINES: Mutex<Option<HashMap<usize, Values>>> = Mutex::new(None);

/// Registers the function for the end.
static EXIT: Once = Once::new();

/// Set when the process exits: what the wakers refer to may be gone from then on.
static ENDING: AtomicBool = AtomicBool::new(false);

struct Values {
    /// Each value with the signal of the future that waits for it, if there still is one.
    pending: Vec<(u64, Weak<Signal>)>,
    /// The smallest value that a thread waits for; other threads end when their slice is over.
    watched: u64,
}

type Locked = MutexGuard<'static, Option<HashMap<usize, Values>>>;

fn lock() -> Locked {
    TIMELINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the signal when the timeline has reached the value, or has ended.
pub(super) fn watch(timeline: gs_timeline_t, value: u64, signal: &Arc<Signal>) -> Result<()> {
    // Before the lock: a thread that the child does not have may have held it.
    if forked() {
        return Err(Error::bare(Status::BAD_FORK, "gs_timeline_synchronize"));
    }
    // SAFETY: the function may be called at any time; if it cannot be registered, the threads end with the process.
    EXIT.call_once(|| _ = unsafe { libc::atexit(end) });
    let key = timeline.addr();
    let mut timelines = lock();
    let all = timelines.get_or_insert_default();
    let values = all.entry(key).or_insert_with(|| Values { pending: Vec::new(), watched: NONE });
    if value < values.watched {
        let started = thread::start("gpustream-values", move || serve(key, value));
        if let Err(error) = started {
            if values.watched == NONE {
                all.remove(&key);
            }
            let text = format!("no thread for futures: {error}");
            return Err(Error::here(Status::SYSTEM, error.raw_os_error().unwrap_or(0), text));
        }
        values.watched = value;
    }
    values.pending.push((value, Arc::downgrade(signal)));
    Ok(())
}

extern "C" fn end() {
    ENDING.store(true, Ordering::Release);
}

/// Waits for a value, and then for the next one, until none is left or another thread waits for a smaller one.
fn serve(timeline: usize, first: u64) {
    let mut value = first;
    while value != NONE && !ENDING.load(Ordering::Acquire) {
        let result = wait(timeline, value);
        let (over, next) = advance(timeline, value, result.as_ref());
        value = next;
        let Some(result) = result else { continue };
        hand_over();
        for signal in over {
            if !ENDING.load(Ordering::Acquire) {
                contain(|| signal.complete(result.clone()));
            }
        }
    }
}

/// The signals that a result is for, and the value to wait for after that one. No signal ends here, as that may drop a waker,
/// which runs arbitrary code, under the lock.
fn advance(timeline: usize, value: u64, result: Option<&Result<()>>) -> (Vec<Arc<Signal>>, u64) {
    let mut timelines = lock();
    let Some(all) = timelines.as_mut() else { return (Vec::new(), NONE) };
    let Some(values) = all.get_mut(&timeline) else { return (Vec::new(), NONE) };
    let mut over = Vec::new();
    values.pending.retain(|(wanted, signal)| {
        let waits = match result {
            None => true,
            Some(Ok(())) => *wanted > value,
            Some(Err(_)) => false,
        };
        if !waits {
            over.extend(signal.upgrade());
        }
        waits && signal.strong_count() > 0
    });
    let mut next = NONE;
    // Else the thread that waits for the smallest value goes on with the others.
    if values.watched == value {
        next = values.pending.iter().map(|(wanted, _)| *wanted).min().unwrap_or(NONE);
        values.watched = next;
        if next == NONE {
            all.remove(&timeline);
        }
    }
    (over, next)
}

/// As `gs_timeline_synchronize`, but never forbidden: it blocks only a thread of this crate. `None`: the time is over.
fn wait(timeline: usize, value: u64) -> Option<Result<()>> {
    let api = match api() {
        Ok(api) => api,
        Err(error) => return Some(Err(error)),
    };
    let timeline = std::ptr::without_provenance_mut(timeline);
    if !waits_are_reported(api) {
        // SAFETY: takes a handle and numbers.
        let called = unsafe { api.gs_timeline_synchronize(timeline, value, SLICE_NS) };
        if called != Ok(sys::GS_ERROR_SYNC_FORBIDDEN) {
            return unless_late(called);
        }
    }
    let mut reached = 0;
    // SAFETY: the output is a local variable.
    let called = unsafe { api.gs_timeline_value(timeline, &raw mut reached) };
    if called == Ok(sys::GS_OK) && reached < value {
        std::thread::sleep(Duration::from_millis(1));
        return None;
    }
    unless_late(called)
}

fn unless_late(called: Called<gs_status_t>) -> Option<Result<()>> {
    (called != Ok(sys::GS_ERROR_TIMEOUT)).then(|| check(called))
}

fn waits_are_reported(api: &Api) -> bool {
    let is = |option: i32, wanted: i32| {
        let mut value = 0;
        // SAFETY: the output is a local variable. A failure leaves 0, which is the default of both.
        let _ = unsafe { api.gs_get_option(option, &raw mut value) };
        value == i64::from(wanted)
    };
    !is(sys::GS_OPTION_SYNC_DEBUG_MODE, sys::GS_SYNC_DEBUG_DEFAULT)
        && is(sys::GS_OPTION_SYNC_DEBUG_SCOPE, sys::GS_SYNC_SCOPE_ALL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Timeline;

    #[test]
    #[cfg_attr(miri, ignore = "uses the C library")]
    fn dropped_signals_are_forgotten_and_a_thread_without_any_ends() {
        let timeline = Timeline::new().unwrap();
        let signals: Vec<_> = (0..3).map(|_| Arc::new(Signal::new())).collect();
        for (signal, value) in signals.iter().zip([3, 2, 1]) {
            watch(timeline.as_handle(), value, signal).unwrap();
        }
        let kept = Arc::downgrade(&signals[0]);
        timeline.set(2).unwrap();
        let deadline = std::time::Instant::now() + Duration::from_secs(60);
        let until = |over: &dyn Fn() -> bool| {
            while !over() {
                assert!(std::time::Instant::now() < deadline, "its thread goes on");
                std::thread::yield_now();
            }
        };
        until(&|| [0, 1, 2].map(|i| signals[i].is_set()) == [false, true, true]);
        drop(signals);
        assert!(kept.upgrade().is_none());
        until(&|| !lock().as_ref().unwrap().contains_key(&timeline.as_handle().addr()));
    }
}
