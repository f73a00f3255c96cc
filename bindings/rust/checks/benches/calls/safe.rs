// SPDX-License-Identifier: Apache-2.0
//! The calls of the safe crate.

use std::hint::black_box;

use criterion::Criterion;
use gpustream::{
    CaptureMode, Completion, CompletionQueue, Device, Event, HostBuffer, InstantiateFlags, Stream, StreamGuard,
};

pub fn bench(criterion: &mut Criterion) {
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let (event, pending) = (Event::new().unwrap(), Event::new().unwrap());
    let (start, end) = (Event::timed().unwrap(), Event::timed().unwrap());
    for event in [&event, &pending, &start, &end] {
        event.record(&stream).unwrap();
    }
    event.synchronize().unwrap();
    stream.synchronize().unwrap();

    let mut run = |name: &str, call: &mut dyn FnMut()| {
        criterion.benchmark_group(name).bench_function("gpustream", |bencher| bencher.iter(&mut *call));
    };
    run("record", &mut || pending.record(&stream).unwrap());
    stream.synchronize().unwrap();
    run("wait_event_complete", &mut || other.wait_event(&event).unwrap());
    run("wait_stream", &mut || other.wait_stream(&stream).unwrap());
    other.synchronize().unwrap();
    run("query_complete_event", &mut || _ = black_box(event.query().unwrap()));
    run("query_idle_stream", &mut || _ = black_box(stream.query().unwrap()));
    run("elapsed", &mut || _ = black_box(start.elapsed_ms(&end).unwrap()));
    run("current_stream", &mut || Stream::with_current(Device::CURRENT, |stream| _ = black_box(stream)).unwrap());
    run("enter_exit_stream", &mut || drop(StreamGuard::new(&stream).unwrap()));
    run("retain_destroy_stream", &mut || drop(stream.clone()));
    run("create_destroy_event", &mut || drop(Event::new().unwrap()));
    run("create_destroy_stream", &mut || drop(Stream::new().unwrap()));

    let (memory, queue) = (HostBuffer::new(64).unwrap(), CompletionQueue::new(64).unwrap());
    let capture = || {
        let capture = stream.capture(CaptureMode::Relaxed).unwrap();
        // SAFETY: nothing is launched.
        unsafe { stream.memset(memory.as_ptr().cast_mut().cast(), 0, 64) }.unwrap();
        capture.end().unwrap()
    };
    run("capture_fill", &mut || drop(capture()));
    let (graph, mut room) = (capture(), [Completion::EMPTY; 4]);
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    run("update_graph", &mut || assert!(exec.update(&graph).unwrap().is_done()));
    run("queue_complete_event", &mut || {
        queue.add_event(&event, 1).unwrap();
        while queue.poll(&mut room).unwrap().is_empty() {}
    });
}
