// SPDX-License-Identifier: Apache-2.0
//! The C functions, called through the table of the opened library.

use std::ptr::null_mut;

use criterion::Criterion;
use gpustream::sys::{self, *};

fn ok(status: Result<gs_status_t, MissingSymbol>) {
    assert_eq!(status, Ok(GS_OK));
}

/// `unsafe` under another name, so that the benchmarks read like C: all pointers are to locals, all handles are
/// checked.
macro_rules! c {
    ($call:expr) => {
        // SAFETY: outputs are local variables, handles are checked by the library.
        ok(unsafe { $call })
    };
}

pub fn bench(criterion: &mut Criterion) {
    let api = sys::api().unwrap();
    let (mut stream, mut other): (gs_stream_t, gs_stream_t) = (null_mut(), null_mut());
    let (mut event, mut pending, mut start, mut end) = (null_mut(), null_mut(), null_mut(), null_mut());
    c!(api.gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &raw mut stream));
    c!(api.gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &raw mut other));
    for (out, flags) in [(&mut event, 0), (&mut pending, 0), (&mut start, GS_EVENT_TIMING), (&mut end, GS_EVENT_TIMING)]
    {
        c!(api.gs_event_create(flags, out));
        c!(api.gs_event_record(*out, stream));
    }
    c!(api.gs_event_synchronize(event));
    c!(api.gs_stream_synchronize(stream));
    let (mut done, mut ms, mut scope, mut current, mut made) = (0, 0.0, 0, null_mut(), null_mut());
    let mut new_stream = null_mut();
    // From here on the thread has a current device of its own, as in the other columns' measurements.
    c!(api.gs_push_current_stream(stream, &raw mut scope));
    c!(api.gs_pop_current_stream(scope));

    let mut run = |name: &str, call: &mut dyn FnMut()| {
        criterion.benchmark_group(name).bench_function("c", |bencher| bencher.iter(&mut *call));
    };
    run("record", &mut || c!(api.gs_event_record(pending, stream)));
    c!(api.gs_stream_synchronize(stream));
    run("wait_event_complete", &mut || c!(api.gs_stream_wait_event(other, event)));
    run("wait_stream", &mut || c!(api.gs_stream_wait_stream(other, stream)));
    c!(api.gs_stream_synchronize(other));
    run("query_complete_event", &mut || c!(api.gs_event_query(event, &raw mut done)));
    run("query_idle_stream", &mut || c!(api.gs_stream_query(stream, &raw mut done)));
    run("elapsed", &mut || c!(api.gs_event_elapsed_ms(start, end, &raw mut ms)));
    run("current_stream", &mut || c!(api.gs_current_stream(GS_DEVICE_CURRENT, &raw mut current)));
    run("enter_exit_stream", &mut || {
        c!(api.gs_push_current_stream(stream, &raw mut scope));
        c!(api.gs_pop_current_stream(scope));
    });
    run("retain_destroy_stream", &mut || {
        c!(api.gs_stream_retain(stream));
        c!(api.gs_stream_destroy(stream));
    });
    run("create_destroy_event", &mut || {
        c!(api.gs_event_create(0, &raw mut made));
        c!(api.gs_event_destroy(made));
    });
    run("create_destroy_stream", &mut || {
        c!(api.gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &raw mut new_stream));
        c!(api.gs_stream_destroy(new_stream));
    });
    for event in [event, pending, start, end] {
        c!(api.gs_event_destroy(event));
    }
    c!(api.gs_stream_destroy(stream));
    c!(api.gs_stream_destroy(other));
}
