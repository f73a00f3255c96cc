// SPDX-License-Identifier: Apache-2.0
//! Values of timelines in async code.

mod support;

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use gpustream::{Finished, Status, SyncDebugMode, SyncDebugScope, Timeline, set_sync_debug_mode, set_sync_debug_scope};
use support::{Held, Woken, alone, block_on, status, until};

fn pending(future: &mut Finished, waker: &Waker) -> bool {
    Pin::new(future).poll(&mut Context::from_waker(waker)).is_pending()
}

#[test]
fn values_are_reached_in_their_order() {
    let _alone = alone();
    let (held, timeline) = (Held::new(), Timeline::new().unwrap());
    assert_eq!(block_on(timeline.reached(0).unwrap()), Ok(()));
    // The smallest one last: it must not wait for those before it.
    let mut third = timeline.reached(3).unwrap();
    let (mut second, again, first) =
        (timeline.reached(2).unwrap(), timeline.reached(2).unwrap(), timeline.reached(1).unwrap());
    timeline.set(1).unwrap();
    assert_eq!(block_on(first), Ok(()));
    timeline.signal(&held.stream, 2).unwrap();
    assert!(pending(&mut second, Waker::noop()) && pending(&mut third, Waker::noop()));
    held.gate.open();
    assert_eq!(block_on(async { (second.await, again.await) }), (Ok(()), Ok(())));
    assert!(pending(&mut third, Waker::noop()));
    timeline.set(9).unwrap();
    assert_eq!(block_on(&mut third), Ok(()));
    assert_eq!(Pin::new(&mut third).poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(())), "again");
}

#[test]
fn many_timelines() {
    let _alone = alone();
    let timelines: Vec<Timeline> = (0..20).map(|_| Timeline::new().unwrap()).collect();
    let futures: Vec<Finished> =
        timelines.iter().flat_map(|one| (1..=10).rev().map(|value| one.reached(value).unwrap())).collect();
    timelines.iter().for_each(|one| one.set(10).unwrap());
    for future in futures {
        assert_eq!(block_on(future), Ok(()));
    }
}

#[test]
fn dropped_futures_are_forgotten() {
    let _alone = alone();
    let timeline = Timeline::new().unwrap();
    let (woken, mut dropped) = (Arc::new(Woken::default()), timeline.reached(1).unwrap());
    assert!(pending(&mut dropped, &woken.clone().into()));
    assert_eq!(Arc::strong_count(&woken), 2, "the future keeps the waker");
    let kept = timeline.reached(1).unwrap();
    drop((dropped, timeline.reached(2).unwrap()));
    assert_eq!(Arc::strong_count(&woken), 1);
    timeline.set(1).unwrap();
    assert_eq!(block_on(kept), Ok(()));
    assert_eq!(woken.0.load(Ordering::SeqCst), 0);
    // The thread of before may still be waiting for a value that no future waits for.
    let last = timeline.reached(4).unwrap();
    timeline.set(4).unwrap();
    assert_eq!(block_on(last), Ok(()));
}

#[test]
fn reached_and_not_polled_since() {
    let _alone = alone();
    let timeline = Timeline::new().unwrap();
    let (woken, mut future) = (Arc::new(Woken::default()), timeline.reached(1).unwrap());
    assert!(pending(&mut future, &woken.clone().into()));
    timeline.set(1).unwrap();
    until(|| woken.0.load(Ordering::SeqCst) == 1);
    drop(future);
    until(|| Arc::strong_count(&woken) == 1);
}

#[test]
fn end_of_the_timeline() {
    let _alone = alone();
    let timeline = Timeline::new().unwrap();
    let (five, six) = (timeline.reached(5).unwrap(), timeline.reached(6).unwrap());
    timeline.abort(Status::CANCELLED).unwrap();
    assert_eq!((status(block_on(five)), status(block_on(six))), (Status::CANCELLED, Status::CANCELLED));
    let other = Timeline::new().unwrap();
    let mut orphan = pin!(other.reached(1).unwrap());
    assert!(orphan.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(other); // the future is no reference
    assert_eq!(status(block_on(orphan)), Status::INVALID_HANDLE);
}

/// The debug mode is about threads that block.
#[test]
fn debug_mode_does_not_concern_futures() {
    let _alone = alone();
    let timeline = Timeline::new().unwrap();
    set_sync_debug_mode(SyncDebugMode::Error).unwrap();
    set_sync_debug_scope(SyncDebugScope::All).unwrap();
    let forbidden = status(timeline.synchronize(0));
    let (first, second) = (timeline.reached(1).unwrap(), timeline.reached(2).unwrap());
    timeline.set(1).unwrap();
    let reached = block_on(first);
    timeline.abort(Status::ABORTED).unwrap();
    let aborted = status(block_on(second));
    set_sync_debug_scope(SyncDebugScope::Torch).unwrap();
    set_sync_debug_mode(SyncDebugMode::Default).unwrap();
    assert_eq!((forbidden, reached, aborted), (Status::SYNC_FORBIDDEN, Ok(()), Status::ABORTED));
}
