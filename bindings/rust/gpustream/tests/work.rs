// SPDX-License-Identifier: Apache-2.0
//! Functions in streams: notifications, deferred functions, host functions.

mod support;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

use gpustream::{CURRENT, CaptureMode, Event, HostBuffer, Status, Stream};
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
    let kept = owned.clone();
    assert_eq!(status(stream.defer(move || drop(kept))), Status::INVALID_HANDLE);
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
fn what_a_host_function_may_not_free_is_freed_later() {
    let stream = Stream::new().unwrap();
    let memory = HostBuffer::<u8>::new(64).unwrap();
    let (sender, receiver) = channel();
    // SAFETY: frees nothing that a stream uses; the host backend refuses it there.
    unsafe { stream.launch_host(move || sender.send(status(memory.free())).unwrap()) }.unwrap();
    assert_eq!(receiver.recv(), Ok(Status::NOT_PERMITTED));
    stream.synchronize().unwrap();
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

#[test]
fn dropping_what_a_notification_owns() {
    let count = Arc::new(());
    for _ in 0..100 {
        let kept = count.clone();
        Stream::new().unwrap().notify(move |_| drop(kept)).unwrap();
    }
    until(|| Arc::strong_count(&count) == 1);
}

#[test]
fn deferred_functions_run_after_the_work_and_on_one_thread() {
    let held = Held::new();
    let (sender, receiver) = channel();
    for number in 0..3 {
        let sender = sender.clone();
        held.stream.defer(move || sender.send((number, thread::current().id())).unwrap()).unwrap();
    }
    gpustream::trim().unwrap();
    assert!(receiver.try_recv().is_err(), "before the work was done");
    held.gate.open();
    held.stream.synchronize().unwrap();
    gpustream::trim().unwrap();
    let mut ran: Vec<_> = (0..3).map(|_| receiver.recv().unwrap()).collect();
    ran.sort_by_key(|(number, _)| *number);
    assert_eq!(ran.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(ran.iter().all(|(_, id)| *id == ran[0].1 && *id != thread::current().id()));
}

#[test]
fn deferred_functions_of_a_dropped_stream_run_and_a_panic_ends_there() {
    let count = Arc::new(());
    for round in 0..100 {
        let (stream, kept) = (Stream::new().unwrap(), count.clone());
        stream.sleep(1000).unwrap();
        let function = move || {
            drop(kept);
            if round % 10 == 0 {
                std::panic::resume_unwind(Box::new("quiet"));
            }
        };
        stream.defer(function).unwrap();
    }
    until(|| {
        gpustream::trim().unwrap();
        Arc::strong_count(&count) == 1
    });
}

#[test]
fn graph_keeps_a_function_deferred_in_a_capture() {
    let (stream, count) = (Stream::new().unwrap(), Arc::new(()));
    let kept = count.clone();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    stream.defer(move || drop(kept)).unwrap();
    let graph = capture.end().unwrap();
    gpustream::trim().unwrap();
    assert_eq!(Arc::strong_count(&count), 2);
    drop(graph);
    until(|| Arc::strong_count(&count) == 1);
}
