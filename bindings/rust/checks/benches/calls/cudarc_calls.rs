// SPDX-License-Identifier: Apache-2.0
//! The equivalent calls of cudarc. It has no current stream, and its events are created in a context.

use std::hint::black_box;

use criterion::Criterion;
use cudarc::driver::{CudaContext, sys::CUevent_flags};

pub fn bench(criterion: &mut Criterion) {
    let context = CudaContext::new(0).unwrap();
    let (stream, other) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let (event, pending) = (context.new_event(None).unwrap(), context.new_event(None).unwrap());
    let timed = || context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT)).unwrap();
    let (start, end) = (timed(), timed());
    for event in [&event, &pending, &start, &end] {
        event.record(&stream).unwrap();
    }
    event.synchronize().unwrap();
    stream.synchronize().unwrap();

    let mut run = |name: &str, call: &mut dyn FnMut()| {
        criterion.benchmark_group(name).bench_function("cudarc", |bencher| bencher.iter(&mut *call));
    };
    run("record", &mut || pending.record(&stream).unwrap());
    stream.synchronize().unwrap();
    run("wait_event_complete", &mut || other.wait(&event).unwrap());
    run("wait_stream", &mut || other.join(&stream).unwrap());
    other.synchronize().unwrap();
    run("query_complete_event", &mut || _ = black_box(event.try_is_complete().unwrap()));
    run("elapsed", &mut || _ = black_box(start.elapsed_ms(&end).unwrap()));
    run("retain_destroy_stream", &mut || drop(stream.clone()));
    run("create_destroy_event", &mut || drop(context.new_event(None).unwrap()));
    run("create_destroy_stream", &mut || drop(context.new_stream().unwrap()));
}
