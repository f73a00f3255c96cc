// SPDX-License-Identifier: Apache-2.0
//! Spans and events of the crate tracing, as a tool of NVTX hears them and as the library counts them. The tool of the tests is
//! loaded by the first range of a process, so what is heard is heard in processes of their own.

mod support;

use std::env;
use std::fs;
use std::path::Path;

use gpustream::{Range, RangeLayer, Status, sys};
use tracing::subscriber::with_default;
use tracing::{Instrument, Subscriber, info, info_span, trace, trace_span};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::prelude::*;
use tracing_subscriber::registry;

const CASE: &str = "GPUSTREAM_TRACING_CASE";

fn subscriber() -> impl Subscriber {
    registry().with(RangeLayer::new().unwrap())
}

fn pop() -> i32 {
    // SAFETY: no argument.
    unsafe { sys::api().unwrap().gs_range_pop() }.unwrap()
}

fn spans_and_events() {
    with_default(subscriber(), || {
        let step = info_span!("step", number = 7).entered();
        info_span!("upload").in_scope(|| info!(chunk = 3, "chunk {}", "a\0b"));
        info!(only = "fields");
        let step = step.exit();
        std::thread::scope(|scope| {
            scope.spawn(|| with_default(subscriber(), || step.in_scope(|| ()))).join().unwrap();
        });
        step.in_scope(|| ());
    });
}

fn filtered() {
    let layer = RangeLayer::new().unwrap().only_spans().with_filter(LevelFilter::INFO);
    with_default(registry().with(layer), || {
        trace_span!("too detailed").in_scope(|| trace!("nor this"));
        info_span!("shown").in_scope(|| info!("not this"));
    });
}

fn out_of_order() {
    with_default(subscriber(), || {
        let outer = info_span!("outer").entered();
        let inner = info_span!("inner").entered();
        drop(outer);
        let later = info_span!("later").entered();
        drop(inner);
        info!("all three are open");
        drop(later);
        info!("none is");
    });
}

fn futures() {
    with_default(subscriber(), || {
        let work = async {
            info!("first poll");
            tokio::task::yield_now().await;
            info!("second poll");
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(work.instrument(info_span!("task")));
    });
}

#[test]
fn case() {
    match env::var(CASE).as_deref() {
        Ok("spans_and_events") => spans_and_events(),
        Ok("filtered") => filtered(),
        Ok("out_of_order") => out_of_order(),
        Ok("futures") => futures(),
        Ok(other) => panic!("no case {other}"),
        Err(_) => {} // the test run itself: each case has a test below
    }
}

/// What the tool hears of a case: "push step", "pop", "mark text".
#[track_caller]
fn heard(case: &str) -> Vec<String> {
    let build = env::var("GPUSTREAM_BUILD_DIR").expect("GPUSTREAM_BUILD_DIR names the core's build folder");
    let tool = Path::new(&build).join("tests/support/fake_nvtx/libfake_nvtx.so");
    assert!(tool.exists(), "{} is not built: target fake_nvtx", tool.display());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("heard");
    support::in_process(CASE, case, &[("NVTX_INJECTION64_PATH", &tool), ("FAKE_NVTX_LOG", &log)]);
    let lines = fs::read_to_string(log).unwrap();
    let words = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let (what, _number, text) = (parts.next()?, parts.next()?, parts.next()?);
        ["push", "pop", "mark"].contains(&what).then(|| format!("{what} {text}").trim_end().to_owned())
    };
    lines.lines().filter_map(words).collect()
}

#[test]
fn spans_are_ranges_and_events_marks() {
    let found = heard("spans_and_events");
    assert_eq!(found[..4], ["push step", "push upload", "mark chunk a?b", "pop"]);
    assert!(found[4].starts_with("mark event "), "an event without a message has its place as the name: {}", found[4]);
    assert_eq!(found[5..], ["pop", "push step", "pop", "push step", "pop"]);
}

#[test]
fn filters_choose() {
    assert_eq!(heard("filtered"), ["push shown", "pop"]);
}

#[test]
fn ranges_stay_nested() {
    let wanted =
        ["push outer", "push inner", "push later", "mark all three are open", "pop", "pop", "pop", "mark none is"];
    assert_eq!(heard("out_of_order"), wanted);
}

#[test]
fn a_range_is_a_poll() {
    let wanted = ["push task", "mark first poll", "pop", "push task", "mark second poll", "pop"];
    assert_eq!(heard("futures")[..6], wanted);
}

#[test]
fn what_is_too_deep_is_left_out() {
    std::thread::spawn(|| {
        let open: Vec<Range> = (0..255).map(|_| Range::push("deep").unwrap()).collect();
        with_default(subscriber(), || {
            let last = info_span!("the last").entered();
            assert_eq!(Range::push("none").unwrap_err().status(), Status::FULL);
            info_span!("one too many").in_scope(|| {
                info_span!("two").in_scope(|| info!("still a mark"));
            });
            assert_eq!(Range::push("none").unwrap_err().status(), Status::FULL, "none was ended for them");
            drop(last);
            drop(Range::push("room again").unwrap());
        });
        drop(open);
        assert_eq!(pop(), sys::GS_ERROR_SCOPE, "all have ended, and no more than that");
    })
    .join()
    .unwrap();
}

#[test]
fn a_panic_ends_them() {
    let unwound = std::panic::catch_unwind(|| {
        with_default(subscriber(), || {
            let _span = info_span!("unwound").entered();
            panic!("of the test");
        });
    });
    assert!(unwound.is_err());
    assert_eq!(pop(), sys::GS_ERROR_SCOPE);
}
