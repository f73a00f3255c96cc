// SPDX-License-Identifier: Apache-2.0
//! What graphs keep lives until graph, executables and launches have ended, and no longer.

mod support;

use std::sync::Arc;
use std::thread::{self, ThreadId};

use gpustream::{CaptureMode, InstantiateFlags, Stream};
use support::{Held, empty, launch, until};

#[test]
fn value_outlives_graph_executable_and_launch() {
    let owned = Arc::new(());
    let graph = empty();
    graph.keep(owned.clone()).unwrap();
    graph.add_host(&[], || ()).unwrap();
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    drop(graph);
    let held = Held::new();
    launch(&exec, &held.stream);
    launch(&exec, &held.stream);
    drop(exec);
    assert_eq!(Arc::strong_count(&owned), 2, "launches are under way");
    held.gate.open();
    held.stream.synchronize().unwrap();
    until(|| Arc::strong_count(&owned) == 1);
}

/// CuPy and cuda.core free a captured function after its first replay.
#[test]
fn captured_function_lives_beyond_the_first_launch() {
    let (owned, stream) = (Arc::new(()), Stream::new().unwrap());
    let kept = owned.clone();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    capture.launch_host(&stream, move || _ = &kept).unwrap();
    let graph = capture.end().unwrap();
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    for _ in 0..3 {
        launch(&exec, &stream);
        stream.synchronize().unwrap();
        assert_eq!(Arc::strong_count(&owned), 2);
    }
    drop(exec);
    assert_eq!(Arc::strong_count(&owned), 2, "the graph may be made executable again");
    drop(graph);
    until(|| Arc::strong_count(&owned) == 1);
}

#[test]
fn copies_and_parents_keep_it_too() {
    let owned = Arc::new(());
    let (child, parent) = (empty(), empty());
    child.keep(owned.clone()).unwrap();
    let copy = child.duplicate().unwrap();
    parent.add_graph(&[], &child).unwrap();
    drop(child);
    drop(copy);
    assert_eq!(Arc::strong_count(&owned), 2, "the parent has a copy of the child");
    drop(parent);
    until(|| Arc::strong_count(&owned) == 1);
}

#[test]
fn value_is_dropped_on_one_thread_of_the_library_also_after_one_that_panics() {
    struct Tells(std::sync::mpsc::Sender<ThreadId>, bool);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
            if self.1 {
                std::panic::resume_unwind(Box::new("quiet"));
            }
        }
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let graph = empty();
    graph.keep(Tells(sender.clone(), true)).unwrap();
    graph.keep(Tells(sender, false)).unwrap();
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    let stream = Stream::new().unwrap();
    launch(&exec, &stream);
    drop((graph, exec));
    let threads: Vec<_> = receiver.iter().collect();
    assert!(threads.len() == 2 && threads[0] == threads[1], "{threads:?}");
    assert_ne!(threads[0], thread::current().id());
}

#[test]
fn dropping_a_kept_value_may_call_but_not_wait() {
    struct Inside(Stream, std::sync::mpsc::Sender<(bool, gpustream::Status)>);
    impl Drop for Inside {
        fn drop(&mut self) {
            let waited = support::status(self.0.synchronize());
            self.1.send((self.0.query().is_ok(), waited)).unwrap();
        }
    }
    let (sender, receiver) = std::sync::mpsc::channel();
    let graph = empty();
    graph.keep(Inside(Stream::new().unwrap(), sender)).unwrap();
    drop(graph);
    assert_eq!(receiver.recv(), Ok((true, gpustream::Status::NOT_PERMITTED)));
}

#[test]
fn many_captures_leave_nothing_behind() {
    let (owned, stream) = (Arc::new(()), Stream::new().unwrap());
    for round in 0..2000 {
        let kept = owned.clone();
        let capture = stream.capture(CaptureMode::ThreadLocal).unwrap();
        capture.launch_host(&stream, move || _ = &kept).unwrap();
        if round % 3 == 0 {
            continue; // aborted
        }
        let exec = capture.end().unwrap().instantiate(InstantiateFlags::empty()).unwrap();
        launch(&exec, &stream);
    }
    stream.synchronize().unwrap();
    until(|| Arc::strong_count(&owned) == 1);
}
