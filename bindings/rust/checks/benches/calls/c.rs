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
    bench_graphs(criterion, stream, event);
    for event in [event, pending, start, end] {
        c!(api.gs_event_destroy(event));
    }
    c!(api.gs_stream_destroy(stream));
    c!(api.gs_stream_destroy(other));
}

fn bench_graphs(criterion: &mut Criterion, stream: gs_stream_t, event: gs_event_t) {
    let api = sys::api().unwrap();
    let (mut memory, mut graph, mut exec, mut queue) = (null_mut(), null_mut(), null_mut(), null_mut());
    let (mut update, mut entry, mut taken) = (gs_graph_update_t::default(), gs_completion_t::default(), 0);
    c!(api.gs_malloc_host(64, &raw mut memory));
    c!(api.gs_queue_create(64, 0, &raw mut queue));
    let mut run = |name: &str, call: &mut dyn FnMut()| {
        criterion.benchmark_group(name).bench_function("c", |bencher| bencher.iter(&mut *call));
    };
    let capture = |out: *mut gs_graph_t| {
        c!(api.gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        c!(api.gs_memset_async(memory, 0, 64, stream));
        c!(api.gs_stream_end_capture(stream, out));
    };
    run("capture_fill", &mut || {
        capture(&raw mut graph);
        c!(api.gs_graph_destroy(graph));
    });
    capture(&raw mut graph);
    c!(api.gs_graph_instantiate(graph, 0, &raw mut exec));
    run("update_graph", &mut || {
        c!(api.gs_graph_exec_update(exec, graph, &raw mut update));
        assert_eq!(update.reason, GS_UPDATE_OK);
    });
    run("queue_complete_event", &mut || {
        c!(api.gs_queue_add_event(queue, event, 1));
        taken = 0;
        while taken == 0 {
            c!(api.gs_queue_poll(queue, &raw mut entry, 1, &raw mut taken));
        }
    });
    c!(api.gs_graph_exec_destroy(exec));
    c!(api.gs_graph_destroy(graph));
    c!(api.gs_queue_destroy(queue));
    c!(api.gs_free_host(memory));
}
