// SPDX-License-Identifier: Apache-2.0
//! Captures: what becomes of them in every end.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use gpustream::{CaptureMode, CaptureState, InstantiateFlags, NodeKind, Status, Stream};
use support::{counter, launch, status, until};

const MODES: [CaptureMode; 3] = [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed];

#[test]
fn captured_work_runs_at_each_launch() {
    for mode in MODES {
        let (stream, side) = (Stream::new().unwrap(), Stream::new().unwrap());
        let (count, function) = counter();
        let capture = stream.capture(mode).unwrap();
        assert_eq!(capture.stream(), &*stream);
        capture.launch_host(&stream, function.clone()).unwrap();
        side.wait_stream(&stream).unwrap();
        assert_eq!((stream.is_capturing(), side.is_capturing()), (Ok(true), Ok(true)));
        capture.launch_host(&side, function).unwrap();
        stream.wait_stream(&side).unwrap();
        let graph = capture.end().unwrap();
        assert_eq!((stream.is_capturing(), side.is_capturing()), (Ok(false), Ok(false)));
        stream.synchronize().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 0, "nothing runs in a capture");
        let kinds: Vec<_> = graph.nodes().unwrap().iter().map(|node| graph.node_info(*node).unwrap().kind).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == NodeKind::Host).count(), 2, "{kinds:?}");
        let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
        drop(graph);
        for _ in 0..10 {
            launch(&exec, &stream);
        }
        stream.synchronize().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 20);
    }
}

#[test]
fn dropped_capture_is_aborted_and_what_it_kept_dropped() {
    let (stream, side) = (Stream::new().unwrap(), Stream::new().unwrap());
    for mode in MODES {
        let kept = Arc::new(());
        let capture = stream.capture(mode).unwrap();
        capture.keep(kept.clone()).unwrap();
        side.wait_stream(&stream).unwrap();
        drop(capture);
        assert_eq!((stream.is_capturing(), side.is_capturing()), (Ok(false), Ok(false)));
        until(|| Arc::strong_count(&kept) == 1);
        stream.synchronize().unwrap();
        side.synchronize().unwrap();
    }
}

#[test]
fn panic_aborts_the_capture() {
    let stream = Stream::new().unwrap();
    let panicked = std::panic::catch_unwind(|| {
        let _capture = stream.capture(CaptureMode::Global).unwrap();
        std::panic::resume_unwind(Box::new("quiet"));
    });
    assert!(panicked.is_err());
    assert_eq!(stream.is_capturing(), Ok(false));
}

#[test]
fn thread_that_ends_in_a_capture_aborts_it() {
    let stream = Stream::new().unwrap();
    let inside = stream.clone();
    let ended = thread::spawn(move || {
        let _capture = inside.capture(CaptureMode::ThreadLocal).unwrap();
        inside.is_capturing()
    });
    assert_eq!(ended.join().unwrap(), Ok(true));
    assert_eq!(stream.is_capturing(), Ok(false));
    stream.synchronize().unwrap();
}

#[test]
fn capture_that_other_code_ended_leaves_the_next_one_alone() {
    let stream = Stream::new().unwrap();
    let stale = || {
        let capture = stream.capture(CaptureMode::Relaxed).unwrap();
        stream.abort_capture().unwrap();
        capture
    };
    let (dropped, ended, aborted) = (stale(), stale(), stale());
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    assert_eq!(status(dropped.graph()), Status::NOT_PERMITTED);
    assert_eq!(status(dropped.keep(())), Status::NOT_PERMITTED);
    assert_eq!(status(dropped.launch_host(&stream, || ())), Status::NOT_PERMITTED);
    drop(dropped);
    assert_eq!(status(ended.end()), Status::NOT_PERMITTED);
    assert_eq!(status(aborted.abort()), Status::NOT_PERMITTED);
    assert_eq!(stream.is_capturing(), Ok(true));
    capture.end().unwrap();
}

#[test]
fn function_is_captured_in_streams_of_the_capture_only() {
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    let (owned, foreign) = (Arc::new(()), other.capture(CaptureMode::Relaxed).unwrap());
    for outside in [&other, &Stream::new().unwrap()] {
        let kept = owned.clone();
        let refused = capture.launch_host(outside, move || _ = &kept);
        assert_eq!(status(refused), Status::NOT_PERMITTED);
        assert_eq!(Arc::strong_count(&owned), 1);
    }
    foreign.abort().unwrap();
    assert_eq!(capture.end().unwrap().info().unwrap().node_count, 0);
}

/// What a function owns; its end leaves a mark.
struct Owned(AtomicU32);

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

#[test]
fn function_that_comes_too_late_for_its_capture_does_not_run() {
    const LIVE: u32 = 0x600d;
    const ROUNDS: u32 = 20_000;
    let stream = Stream::new().unwrap();
    let (calls, used_after_end) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let (started, aborted) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                until(|| started.load(Ordering::Acquire) == round);
                for _ in 0..round % 400 {
                    std::hint::spin_loop();
                }
                stream.abort_capture().unwrap();
                aborted.store(round, Ordering::Release);
            }
        });
        for round in 1..=ROUNDS {
            let capture = stream.capture(CaptureMode::Relaxed).unwrap();
            let (owned, calls, wrong) = (Owned(AtomicU32::new(LIVE)), calls.clone(), used_after_end.clone());
            started.store(round, Ordering::Release);
            let launched = capture.launch_host(&stream, move || {
                calls.fetch_add(1, Ordering::Relaxed);
                wrong.fetch_add((owned.0.load(Ordering::Relaxed) != LIVE).into(), Ordering::Relaxed);
            });
            assert!(matches!(status(launched), Status::OK | Status::NOT_PERMITTED | Status::INVALID_HANDLE));
            until(|| aborted.load(Ordering::Acquire) == round);
            capture.release();
        }
    });
    stream.synchronize().unwrap();
    assert_eq!((calls.load(Ordering::Relaxed), used_after_end.load(Ordering::Relaxed)), (0, 0));
}

#[test]
fn info_says_who_captures() {
    let stream = Stream::new().unwrap();
    let none = stream.capture_info().unwrap();
    assert_eq!((none.state, none.id, none.mode, none.thread), (CaptureState::None, 0, None, 0));
    let mut ids = Vec::new();
    for mode in MODES {
        let capture = stream.capture(mode).unwrap();
        let info = stream.capture_info().unwrap();
        // SAFETY: no arguments.
        let thread = u64::try_from(unsafe { libc::gettid() }).unwrap();
        assert_eq!((info.state, info.mode, info.thread), (CaptureState::Active, Some(mode), thread));
        assert_eq!(info.broken, None);
        ids.push(info.id);
        capture.abort().unwrap();
    }
    ids.dedup();
    assert!(ids.len() == 3 && !ids.contains(&0), "{ids:?}");
}
