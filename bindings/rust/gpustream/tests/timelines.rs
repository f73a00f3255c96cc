// SPDX-License-Identifier: Apache-2.0
//! Timelines: signals and waits of streams and threads, limits, and the end.

mod support;

use std::collections::HashSet;
use std::thread;
use std::time::Duration;

use gpustream::{Device, Status, Stream, Timeline};
use support::{PATIENCE, status};

fn streams() -> (Stream, Stream) {
    (Stream::new().unwrap(), Stream::new().unwrap())
}

#[test]
fn wait_may_come_before_its_signal() {
    let (waits, signals) = streams();
    let timeline = Timeline::with_initial(Device::CURRENT, 5).unwrap();
    timeline.wait(&waits, 7).unwrap();
    timeline.set(6).unwrap();
    assert_eq!((waits.query(), timeline.value()), (Ok(false), Ok(6)));
    timeline.signal(&signals, 7).unwrap();
    waits.synchronize().unwrap();
    timeline.synchronize(7).unwrap();
    assert_eq!(timeline.value(), Ok(7));
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
fn abort_tells_its_status() {
    let timeline = Timeline::new().unwrap();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| status(timeline.synchronize(9)));
        timeline.abort(Status::CANCELLED).unwrap();
        assert_eq!(waiter.join().unwrap(), Status::CANCELLED);
    });
    assert_eq!(status(timeline.value()), Status::CANCELLED);
    assert_eq!(status(timeline.reached(0)), Status::CANCELLED);
    assert_eq!(status(Timeline::new().unwrap().abort(Status::OK)), Status::INVALID_ARGUMENT);
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
