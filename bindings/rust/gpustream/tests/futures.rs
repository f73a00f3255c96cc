// SPDX-License-Identifier: Apache-2.0
//! Streams, events and copies in async code.

mod support;

use std::future::{Future, IntoFuture};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Wake, Waker};

use gpustream::{
    CaptureMode, Device, DeviceBuffer, Event, Finished, HostBuffer, InstantiateFlags, Status, Stream, stats,
};
use support::{Held, Woken, block_on, current_stream, status, until};

fn poll_once(future: &mut Finished, waker: &Waker) -> Poll<gpustream::Result<()>> {
    Pin::new(future).poll(&mut Context::from_waker(waker))
}

#[test]
fn futures() {
    let held = Held::new();
    let mut finished = pin!(held.stream.finished().unwrap());
    assert!(finished.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    held.gate.open();
    assert_eq!(block_on(finished), Ok(()));
    // Several at once, also of idle streams.
    let streams: Vec<Stream> = (0..8).map(|i| Stream::builder().device(Device::new(i % 2)).build().unwrap()).collect();
    for stream in &streams {
        stream.sleep(1000).unwrap();
    }
    block_on(async {
        for stream in &streams {
            stream.finished().unwrap().await.unwrap();
            assert_eq!(stream.query(), Ok(true));
        }
    });
    drop(streams[0].finished().unwrap());
}

#[test]
fn events_can_be_awaited() {
    let held = Held::new();
    let event = Event::new().unwrap();
    assert_eq!(block_on((&event).into_future()), Ok(()), "never recorded");
    event.record(&held.stream).unwrap();
    let mut covered = pin!((&event).into_future());
    assert!(covered.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    // The future covers the work that the event covered when the future was created.
    event.record(&Stream::new().unwrap()).unwrap();
    assert!(covered.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    held.gate.open();
    assert_eq!(block_on(covered), Ok(()));
    block_on(async { (&event).await }).unwrap();
    assert_eq!(event.query(), Ok(true));
    let other = Event::new().unwrap();
    other.record(&Stream::builder().device(Device::new(1)).build().unwrap()).unwrap();
    assert_eq!(block_on((&other).into_future()), Ok(()));
}

#[test]
fn copies_can_be_awaited() {
    let (stream, gate) = (current_stream(), Held::new());
    let copy = || DeviceBuffer::new(&stream, 8).unwrap().read(HostBuffer::from_slice(&[1; 8]).unwrap()).unwrap();
    gate.gate.hold(&stream);
    let mut pending = pin!(copy().into_future());
    assert!(pending.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    drop(copy().into_future()); // its buffers stay with the copy
    gate.gate.open();
    let (_buffer, host) = block_on(pending).unwrap();
    assert_eq!(*host, [0; 8]);
    // Later work of the stream is not waited for.
    let pending = copy();
    let later = Held::on(stream.clone());
    let (_buffer, host) = block_on(pending.into_future()).unwrap();
    assert_eq!((&*host, later.stream.query()), (&[0; 8][..], Ok(false)));
}

#[test]
fn dropped_in_every_state() {
    let held = Held::new();
    let event = Event::new().unwrap();
    event.record(&held.stream).unwrap();
    for make in
        [&|| held.stream.finished().unwrap() as Finished, &|| (&event).into_future()] as [&dyn Fn() -> Finished; 2]
    {
        drop(make()); // never polled
        let (woken, mut polled) = (Arc::new(Woken::default()), make());
        assert!(poll_once(&mut polled, &woken.clone().into()).is_pending());
        assert_eq!(Arc::strong_count(&woken), 2, "the future keeps the waker");
        drop(polled);
        until(|| Arc::strong_count(&woken) == 1);
        assert_eq!(woken.0.load(Ordering::SeqCst), 0, "its entry is cancelled and wakes no task");
    }
    let (woken, mut reached, never) =
        (Arc::new(Woken::default()), held.stream.finished().unwrap(), held.stream.finished());
    assert!(poll_once(&mut reached, &woken.clone().into()).is_pending());
    held.gate.open();
    until(|| woken.0.load(Ordering::SeqCst) == 1);
    drop((reached, never)); // reached, and not polled since
    let mut over = held.stream.finished().unwrap();
    assert_eq!(block_on(&mut over), Ok(()));
    assert_eq!(poll_once(&mut over, Waker::noop()), Poll::Ready(Ok(())), "polled again");
    drop(over);
    until(|| Arc::strong_count(&woken) == 1);
    held.stream.synchronize().unwrap();
}

#[test]
fn waker_that_panics_harms_no_other_future() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            std::panic::resume_unwind(Box::new("quiet"));
        }
    }
    let held = Held::new();
    let (mut bad, good) = (held.stream.finished().unwrap(), held.stream.finished().unwrap());
    assert!(poll_once(&mut bad, &Arc::new(Panics).into()).is_pending());
    held.gate.open();
    assert_eq!(block_on(good), Ok(()));
    assert_eq!(block_on(bad), Ok(()));
}

#[test]
fn ten_thousand_at_once_and_half_of_them_dropped() {
    let gate = Held::new();
    let streams: Vec<Stream> = (0..16).map(|_| Stream::new().unwrap()).collect();
    streams.iter().for_each(|stream| stream.wait_stream(&gate.stream).unwrap());
    let mut futures: Vec<_> = (0..10_000).map(|index| streams[index % 16].finished().unwrap()).collect();
    for (index, future) in futures.iter_mut().enumerate() {
        assert!(index % 4 != 0 || poll_once(future, Waker::noop()).is_pending());
    }
    let mut index = 0;
    futures.retain(|_| {
        index += 1;
        index % 2 == 0
    });
    gate.gate.open();
    block_on(async {
        for future in futures {
            future.await.unwrap();
        }
    });
}

#[test]
fn awaited_event_takes_no_stream() {
    let _alone = support::alone();
    let held = Held::new();
    let event = Event::new().unwrap();
    event.record(&held.stream).unwrap();
    let before = stats().unwrap();
    let futures: Vec<_> = (0..100).map(|_| (&event).into_future()).collect();
    let after = stats().unwrap();
    let streams = |stats: &gpustream::Stats| (stats.streams_created, stats.stream_pool_hits, stats.stream_pool_misses);
    // Other tests of this program may create a few at the same time, but not hundred.
    let (before, after) = (streams(&before), streams(&after));
    assert!(after.0 + after.1 + after.2 < before.0 + before.1 + before.2 + 100, "{before:?} {after:?}");
    held.gate.open();
    futures.into_iter().for_each(|future| block_on(future).unwrap());
}

#[test]
fn refusals_are_results() {
    let stream = Stream::new().unwrap();
    let event = Event::new().unwrap();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    assert_eq!(status(stream.finished()), Status::CAPTURING);
    assert_eq!(stream.is_capturing(), Ok(true), "the capture goes on");
    capture.end().unwrap().instantiate(InstantiateFlags::empty()).unwrap();
    // SAFETY: takes a number; makes the handle stale.
    assert_eq!(unsafe { gpustream::sys::api().unwrap().gs_event_destroy(event.as_handle()) }, Ok(0));
    let refused = (&event).into_future();
    assert_eq!(status(block_on(refused)), Status::INVALID_HANDLE);
    // A stream may be dropped while its work is awaited.
    let held = Held::new();
    let finished = held.stream.finished().unwrap();
    let gate = held.gate.clone();
    drop(held);
    gate.open();
    assert_eq!(block_on(finished), Ok(()));
}
