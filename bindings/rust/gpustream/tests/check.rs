// SPDX-License-Identifier: Apache-2.0
//! The ordering checker, names, and threads that may not wait.

mod support;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use gpustream::{
    CURRENT, CheckClock, CheckFlags, Device, Event, ForbidSync, Graph, HostBuffer, InstantiateFlags, Status, Stream,
    Timeline, check_read, check_start, check_stop, check_write, set_check_callback,
};
use support::{alone, block_on, status};

type Reports = Arc<Mutex<Vec<(String, String)>>>;

/// The checker, on until it is dropped.
struct Checking {
    reports: Reports,
    _alone: MutexGuard<'static, ()>,
}

impl Checking {
    fn new() -> Self {
        let turn = alone();
        let reports = Reports::default();
        let sink = reports.clone();
        set_check_callback(Some(move |text: &str, json: &str| {
            sink.lock().unwrap().push((text.into(), json.into()));
        }))
        .unwrap();
        check_start(CheckFlags::empty()).unwrap();
        Self { reports, _alone: turn }
    }

    fn reports(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.reports.lock().unwrap())
    }
}

impl Drop for Checking {
    fn drop(&mut self) {
        check_stop().unwrap();
        set_check_callback(None::<fn(&str, &str)>).unwrap();
    }
}

#[test]
fn what_nothing_orders_is_reported() {
    let checking = Checking::new();
    let (upload, compute, ready) = (Stream::new().unwrap(), Stream::new().unwrap(), Event::new().unwrap());
    upload.set_name("upload").unwrap();
    compute.set_name("compute").unwrap();
    let bytes = [0_u8; 64];
    check_write(&upload, bytes.as_ptr(), 64, "copy in").unwrap();
    ready.record(&upload).unwrap();
    compute.wait_event(&ready).unwrap();
    check_read(&compute, bytes.as_ptr(), 64, "ordered").unwrap();
    assert_eq!(checking.reports(), []);
    check_write(&upload, bytes.as_ptr(), 8, "too early").unwrap();
    let reports = checking.reports();
    assert_eq!(reports.len(), 1);
    let (text, json) = &reports[0];
    for part in ["upload", "compute", "ordered", "too early"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(json.starts_with('{') && json.ends_with('}') && json.contains("\"too early\""), "{json}");
}

#[test]
fn nodes_of_graphs_declare_what_they_access() {
    let checking = Checking::new();
    let (stream, graph) = (Stream::new().unwrap(), Graph::new(Device::CURRENT).unwrap());
    let (first, second) = (graph.add_empty(&[]).unwrap(), graph.add_empty(&[]).unwrap());
    let bytes = [0_u8; 64];
    graph.check_write(first, bytes.as_ptr(), 64, "producer").unwrap();
    graph.check_read(second, &raw const bytes[63], 1, "consumer").unwrap();
    assert_eq!(status(graph.check_read(first, std::ptr::null::<u8>(), 1, "")), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.check_write(first, bytes.as_ptr(), 1, "a\0b")), Status::INVALID_ARGUMENT);
    let other = Graph::new(Device::CURRENT).unwrap();
    assert_eq!(status(other.check_write(first, bytes.as_ptr(), 1, "")), Status::INVALID_ARGUMENT);
    assert_eq!(checking.reports(), []);
    let runs = graph.instantiate(InstantiateFlags::empty()).unwrap();
    // SAFETY: the nodes do nothing.
    unsafe { runs.launch(&stream) }.unwrap();
    let reports = checking.reports();
    assert_eq!(reports.len(), 1);
    assert!(reports[0].0.contains("producer") && reports[0].0.contains("consumer"), "{}", reports[0].0);
    stream.synchronize().unwrap();
}

#[test]
fn clocks_hand_over() {
    let checking = Checking::new();
    let (one, two) = (Stream::new().unwrap(), Stream::new().unwrap());
    let byte = 0_u8;
    let clock = Mutex::new(CheckClock::new());
    check_write(&one, &raw const byte, 1, "").unwrap();
    thread::scope(|scope| {
        scope.spawn(|| {
            one.synchronize().unwrap();
            clock.lock().unwrap().handover().unwrap();
        });
    });
    clock.lock().unwrap().handover().unwrap();
    check_write(&two, &raw const byte, 1, "").unwrap();
    assert_eq!(checking.reports(), []);
}

#[test]
fn panics_in_the_function_are_contained() {
    let _checking = Checking::new();
    let called = Arc::new(Mutex::new(0));
    let count = called.clone();
    set_check_callback(Some(move |_: &str, _: &str| {
        *count.lock().unwrap() += 1;
        std::panic::resume_unwind(Box::new("quiet"));
    }))
    .unwrap();
    let byte = 0_u8;
    for stream in [Stream::new().unwrap(), Stream::new().unwrap()] {
        check_write(&stream, &raw const byte, 1, "").unwrap();
    }
    assert_eq!(*called.lock().unwrap_or_else(PoisonError::into_inner), 1);
}

#[test]
fn bad_input() {
    let byte = 0_u8;
    let pointer = &raw const byte;
    assert_eq!(status(check_read(CURRENT, pointer, 1, "a\0b")), Status::INVALID_ARGUMENT);
    assert_eq!(status(check_write(CURRENT, std::ptr::null::<u8>(), 1, "")), Status::INVALID_ARGUMENT);
    assert_eq!(status(CURRENT.set_name("x")), Status::INVALID_HANDLE);
    assert_eq!(status(Event::new().unwrap().set_name("a\0b")), Status::INVALID_ARGUMENT);
    let graph = Graph::new(Device::CURRENT).unwrap();
    graph.set_name("step").unwrap();
    graph.set_name("").unwrap();
}

#[test]
fn waits_are_forbidden_for_a_thread_and_a_while() {
    let stream = Stream::new().unwrap();
    {
        let (first, _second) = (ForbidSync::new().unwrap(), ForbidSync::new().unwrap());
        assert_eq!(status(stream.synchronize()), Status::SYNC_FORBIDDEN);
        drop(first); // in any order
        assert_eq!(status(stream.synchronize()), Status::SYNC_FORBIDDEN);
        stream.query().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| stream.synchronize().unwrap());
        });
    }
    stream.synchronize().unwrap();
}

#[test]
fn a_task_is_behind_the_work_that_it_has_awaited() {
    let checking = Checking::new();
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let timeline = Timeline::new().unwrap();
    let bytes = HostBuffer::<u8>::zeroed(64).unwrap(); // not of the heap, whose memory may have changed hands
    for value in 1..4 {
        check_write(&stream, bytes.as_ptr(), 64, "before").unwrap();
        if value == 2 {
            timeline.signal(&stream, value).unwrap();
            block_on(timeline.reached(value).unwrap()).unwrap();
        } else {
            block_on(stream.finished().unwrap()).unwrap();
        }
        check_write(&other, bytes.as_ptr(), 64, "behind it").unwrap();
        other.synchronize().unwrap();
    }
    assert_eq!(checking.reports(), []);
}

#[test]
fn a_stream_says_what_it_waits_for() {
    let name = "\u{fc}".repeat(31);
    let timeline = Timeline::new().unwrap();
    let chain: Vec<Stream> = (0..12).map(|_| Stream::new().unwrap()).collect();
    for (index, stream) in chain.iter().enumerate() {
        stream.set_name(&name).unwrap();
        if index == 0 {
            timeline.wait(stream, 1).unwrap();
        } else {
            stream.wait_stream(&chain[index - 1]).unwrap();
        }
    }
    let text = chain[11].explain().unwrap();
    assert!(text.len() > 1024 && text.contains(&format!("(\"{name}\") waits for stream 0x")), "{text}");
    assert!(text.contains("which waits for timeline 0x") && text.contains("to reach 1 (it is at 0)"), "{text}");
    timeline.set(1).unwrap();
    chain[11].synchronize().unwrap();
    assert!(Stream::new().unwrap().explain().unwrap().ends_with(" has no known wait\n"));
    assert_eq!(status(CURRENT.explain()), Status::INVALID_HANDLE);
}
