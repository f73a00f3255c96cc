// SPDX-License-Identifier: Apache-2.0
//! Functions in streams: notifications, futures, host functions.

mod support;

use std::future::{Future, IntoFuture};
use std::pin::pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use gpustream::{CURRENT, Device, DeviceBuffer, Event, HostBuffer, Status, Stream};
use support::{Held, status, until};

#[test]
fn notifications_come_in_the_streams_order() {
    let held = Held::new();
    let (sender, receiver) = channel();
    for number in 0..10 {
        let sender = sender.clone();
        held.stream.notify(move |result| sender.send((number, result)).unwrap()).unwrap();
    }
    assert!(receiver.try_recv().is_err(), "before the work was done");
    held.gate.open();
    for number in 0..10 {
        assert_eq!(receiver.recv(), Ok((number, Ok(()))));
    }
}

#[test]
fn notification_does_not_hold_the_stream() {
    let stream = Stream::new().unwrap();
    let (started, running) = channel();
    let (release, wait) = channel::<()>();
    stream
        .notify(move |_| {
            started.send(thread::current().id()).unwrap();
            wait.recv().unwrap();
        })
        .unwrap();
    assert_ne!(running.recv().unwrap(), thread::current().id());
    stream.sleep(0).unwrap();
    stream.synchronize().unwrap();
    release.send(()).unwrap();
}

#[test]
fn panic_in_a_notification_ends_there() {
    let stream = Stream::new().unwrap();
    stream.notify(|_| std::panic::resume_unwind(Box::new("quiet"))).unwrap();
    let (sender, receiver) = channel();
    stream.notify(move |result| sender.send(result).unwrap()).unwrap();
    assert_eq!(receiver.recv(), Ok(Ok(())));
}

#[test]
fn notification_may_call_and_drop_but_not_wait() {
    let stream = Stream::new().unwrap();
    let (sender, receiver) = channel();
    let (inside, event) = (stream.clone(), Event::new().unwrap());
    stream
        .notify(move |_| {
            event.record(&inside).unwrap();
            let told = status(inside.synchronize());
            drop((inside, event));
            sender.send(told).unwrap();
        })
        .unwrap();
    assert_eq!(receiver.recv(), Ok(Status::NOT_PERMITTED));
}

#[test]
fn refused_notification_is_dropped() {
    let stream = Stream::new().unwrap();
    // SAFETY: takes a number; makes the handle stale.
    assert_eq!(unsafe { gpustream::sys::api().unwrap().gs_stream_destroy(stream.as_handle()) }, Ok(0));
    let owned = Arc::new(());
    let kept = owned.clone();
    assert_eq!(status(stream.notify(move |_| drop(kept))), Status::INVALID_HANDLE);
    let kept = owned.clone();
    // SAFETY: does nothing with a device.
    assert_eq!(status(unsafe { stream.launch_host(move || drop(kept)) }), Status::INVALID_HANDLE);
    assert_eq!(status(stream.finished()), Status::INVALID_HANDLE);
    assert_eq!(Arc::strong_count(&owned), 1);
}

#[test]
fn host_function_holds_the_stream() {
    let held = Held::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    for number in 0..5 {
        let order = order.clone();
        // SAFETY: takes a lock that no stream's work waits for.
        unsafe { held.stream.launch_host(move || order.lock().unwrap().push(number)) }.unwrap();
    }
    assert!(order.lock().unwrap().is_empty());
    held.gate.open();
    held.stream.synchronize().unwrap();
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3, 4]);
}

#[test]
fn host_function_may_not_use_the_device() {
    let stream = Stream::new().unwrap();
    let (sender, receiver) = channel();
    let inside = stream.clone();
    // SAFETY: the host backend refuses such calls, as this test checks.
    unsafe {
        stream
            .launch_host(move || {
                sender.send((status(inside.query()), inside.id().is_ok())).unwrap();
                std::mem::forget(inside); // destroying is refused as well
            })
            .unwrap();
    }
    assert_eq!(receiver.recv(), Ok((Status::NOT_PERMITTED, true)));
    stream.synchronize().unwrap();
    // SAFETY: destroys the stream that the function could not destroy.
    drop(unsafe { Stream::from_handle(stream.as_handle()) });
}

#[test]
fn native_host_function() {
    unsafe extern "C" fn count(argument: *mut std::ffi::c_void) {
        // SAFETY: a counter of the test that outlives the stream's work.
        unsafe { &*argument.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
    }
    let number = AtomicU32::new(0);
    let argument = (&raw const number).cast_mut().cast();
    let stream = Stream::new().unwrap();
    // SAFETY: only counts, and the counter lives until the work is done.
    unsafe {
        stream.launch_host_raw(count, argument).unwrap();
        stream.with(|| CURRENT.launch_host_raw(count, argument)).unwrap().unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(number.load(Ordering::Relaxed), 2);
}

struct Unpark(Thread);
impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let (mut future, waker) = (pin!(future), Arc::new(Unpark(thread::current())).into());
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
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
    let (stream, gate) = (Stream::new().unwrap(), Held::new());
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
fn dropping_what_a_notification_owns() {
    let count = Arc::new(());
    for _ in 0..100 {
        let kept = count.clone();
        Stream::new().unwrap().notify(move |_| drop(kept)).unwrap();
    }
    until(|| Arc::strong_count(&count) == 1);
}
