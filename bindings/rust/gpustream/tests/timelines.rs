// SPDX-License-Identifier: Apache-2.0
//! Timelines: signals and waits of streams and threads, limits, and the end.

mod support;

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use gpustream::{CURRENT, Device, Status, Stream, StreamGuard, Timeline};
use support::{Held, PATIENCE, status};

fn streams() -> (Stream, Stream) {
    (Stream::new().unwrap(), Stream::new().unwrap())
}

#[test]
fn wait_may_come_before_its_signal() {
    let (waits, signals) = streams();
    let timeline = Timeline::new().unwrap();
    timeline.wait(&waits, 2).unwrap();
    timeline.set(1).unwrap();
    assert_eq!((waits.query(), timeline.value()), (Ok(false), Ok(1)));
    timeline.signal(&signals, 2).unwrap();
    waits.synchronize().unwrap();
    timeline.synchronize(2).unwrap();
    assert_eq!(timeline.value(), Ok(2));
}

#[test]
fn current_stream_signals_and_waits() {
    let held = Held::new();
    let timeline = Timeline::with_initial(Device::CURRENT, 5).unwrap();
    let guard = StreamGuard::new(&held.stream).unwrap();
    timeline.signal(CURRENT, 6).unwrap();
    timeline.wait(CURRENT, 6).unwrap();
    assert_eq!((timeline.value(), held.stream.query()), (Ok(5), Ok(false)));
    drop(guard);
    held.gate.open();
    held.stream.synchronize().unwrap();
    assert_eq!(timeline.value(), Ok(6));
}

#[test]
fn limits() {
    let timeline = Timeline::new().unwrap();
    for limit in [Duration::ZERO, Duration::from_millis(1)] {
        assert_eq!(status(timeline.synchronize_for(1, limit)), Status::TIMEOUT);
    }
    thread::scope(|scope| {
        scope.spawn(|| timeline.set(1).unwrap());
        timeline.synchronize_for(1, PATIENCE).unwrap();
    });
    timeline.synchronize_for(1, Duration::ZERO).unwrap();
}

#[test]
fn abort_lets_all_go_on() {
    let (waits, signals) = streams();
    let timeline = Timeline::new().unwrap();
    timeline.wait(&waits, 9).unwrap();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| status(timeline.synchronize(9)));
        timeline.abort(Status::CANCELLED).unwrap();
        assert_eq!(waiter.join().unwrap(), Status::CANCELLED);
    });
    waits.synchronize().unwrap();
    timeline.abort(Status::ABORTED).unwrap(); // the first status stays
    assert_eq!(status(timeline.value()), Status::CANCELLED);
    assert_eq!(status(timeline.set(10)), Status::CANCELLED);
    assert_eq!(status(timeline.signal(&signals, 10)), Status::CANCELLED);
    assert_eq!(status(timeline.wait(&waits, 10)), Status::CANCELLED);
    assert_eq!(status(timeline.synchronize_for(0, PATIENCE)), Status::CANCELLED);
    assert_eq!(status(timeline.reached(0)), Status::CANCELLED);
    let other = Timeline::new().unwrap();
    for wrong in [Status::OK, Status::TIMEOUT, Status(-1)] {
        assert_eq!(status(other.abort(wrong)), Status::INVALID_ARGUMENT);
    }
    assert_eq!(other.value(), Ok(0));
}

#[test]
fn last_reference_lets_streams_go_on() {
    let (waits, _) = streams();
    let timeline = Timeline::new().unwrap();
    let other = timeline.clone();
    assert_eq!(timeline, other);
    assert_eq!(HashSet::from([timeline.try_clone().unwrap(), other.clone()]).len(), 1);
    timeline.wait(&waits, 1).unwrap();
    drop(timeline);
    assert_eq!(waits.query(), Ok(false));
    let raw = other.into_handle();
    // SAFETY: the reference that `into_handle` has given away.
    let last = unsafe { Timeline::from_handle(raw) };
    assert!(format!("{last:?}").contains("handle"));
    thread::scope(|scope| {
        // SAFETY: a stale handle is checked, and the object is not dropped.
        let stale = std::mem::ManuallyDrop::new(unsafe { Timeline::from_handle(raw) });
        let waiter = scope.spawn(move || status(stale.synchronize(1)));
        drop(last);
        assert_eq!(waiter.join().unwrap(), Status::INVALID_HANDLE);
    });
    waits.synchronize().unwrap();
    // SAFETY: a stale handle is checked, and the object is not dropped.
    let stale = std::mem::ManuallyDrop::new(unsafe { Timeline::from_handle(raw) });
    assert_eq!(status(stale.set(2)), Status::INVALID_HANDLE);
    assert_eq!(status(stale.try_clone()), Status::INVALID_HANDLE);
    assert_eq!(stale.as_handle(), raw);
}
