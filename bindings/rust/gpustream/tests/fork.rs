// SPDX-License-Identifier: Apache-2.0
//! A forked child of an initialised process: every call returns a status, every drop is harmless.

mod support;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gpustream::{
    CaptureMode, Completion, CompletionQueue, Device, DeviceBuffer, Event, ForkStatus, Graph, HostBuffer,
    InstantiateFlags, Status, Stream, StreamGuard, Timeline,
};
use support::{Held, block_on, status};

/// Runs a function in a forked child and returns whether it succeeded.
fn child(function: impl FnOnce() + std::panic::UnwindSafe) -> bool {
    // SAFETY: the child runs the function and leaves by _exit. Of the locks that another thread may hold it takes only
    // those of the memory allocator, which glibc makes usable after fork.
    unsafe {
        match libc::fork() {
            -1 => panic!("fork: {}", std::io::Error::last_os_error()),
            0 => {
                // Bounds hangs: the signal ends the child.
                libc::alarm(60);
                let outcome = std::panic::catch_unwind(function);
                libc::_exit(i32::from(outcome.is_err()));
            }
            pid => {
                let mut status = 0;
                assert_eq!(libc::waitpid(pid, &raw mut status, 0), pid);
                libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
            }
        }
    }
}

#[test]
fn a_child_that_fails_is_noticed() {
    assert!(!child(|| std::panic::resume_unwind(Box::new("quiet"))));
}

#[test]
fn everything_is_a_status_in_the_child() {
    let held = Held::new();
    let event = Event::new().unwrap();
    event.record(&held.stream).unwrap();
    let guard = StreamGuard::new(&held.stream).unwrap();
    let buffer = DeviceBuffer::new(&held.stream, 16).unwrap();
    let pinned = HostBuffer::new(16).unwrap();
    let pending = DeviceBuffer::new(&held.stream, 8).unwrap().read(HostBuffer::new(8).unwrap()).unwrap();
    let (stream, other) = (held.stream.clone(), Stream::new().unwrap());
    let before = HashSet::from([stream.clone()]);
    let parts = std::panic::AssertUnwindSafe((guard, buffer, pinned, pending, stream, other, event));
    // The parent's copies are the same handles; in the child, dropping them has no effect.
    let worked = child(move || {
        let (guard, buffer, pinned, pending, stream, other, event) = { parts }.0;
        assert_eq!(gpustream::fork_status(), Ok(ForkStatus::ChildOfInitialized));
        assert_eq!(gpustream::is_initialized(), Ok(false));
        assert_eq!(status(Stream::new()), Status::BAD_FORK);
        assert_eq!(status(event.query()), Status::BAD_FORK);
        assert_eq!(status(event.record(&stream)), Status::BAD_FORK);
        assert_eq!(status(stream.synchronize()), Status::BAD_FORK);
        assert_eq!(status(stream.notify(|_| ())), Status::BAD_FORK);
        assert_eq!(status(Device::current()), Status::BAD_FORK);
        assert_eq!(status(stream.try_clone()), Status::BAD_FORK);
        drop((stream.clone(), event.clone()));
        assert!(stream == stream.clone() && stream != other, "equality and hash are those of the handles");
        assert!(HashSet::from([stream.clone()]).contains(&stream));
        assert!(before.iter().any(|kept| *kept == stream), "the hash changed, equality did not");
        assert!(format!("{stream:?} {event:?}").contains("handle"));
        drop((guard, buffer, pinned, pending, stream, other, event));
    });
    assert!(worked);
    held.gate.open();
    held.stream.synchronize().unwrap();
}

/// In the child, a capture, a graph and an executable of the parent are refused and dropped without effect.
#[test]
fn graphs_and_captures_in_the_child() {
    let _alone = support::alone();
    let stream = Stream::new().unwrap();
    let kept = std::sync::Arc::new(());
    let graph = Graph::new(Device::CURRENT).unwrap();
    graph.keep(kept.clone()).unwrap();
    let node = graph.add_host(&[], || ()).unwrap();
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    let parts = std::panic::AssertUnwindSafe((&stream, &graph, &exec, &capture));
    let worked = child(move || {
        let (stream, graph, exec, capture) = { parts }.0;
        assert_eq!(status(graph.add_empty(&[])), Status::BAD_FORK);
        assert_eq!(status(graph.instantiate(InstantiateFlags::empty())), Status::BAD_FORK);
        assert_eq!(status(Graph::new(Device::CURRENT)), Status::BAD_FORK);
        assert_eq!(status(graph.keep(())), Status::BAD_FORK);
        assert_eq!(status(exec.set_host(node, || ())), Status::BAD_FORK);
        // SAFETY: refused.
        assert_eq!(status(unsafe { exec.launch(stream) }), Status::BAD_FORK);
        assert_eq!(status(capture.graph()), Status::BAD_FORK);
        assert_eq!(status(stream.capture(CaptureMode::Relaxed)), Status::BAD_FORK);
        drop((graph.clone(), exec.clone()));
        // SAFETY: the child's copy is dropped once, in the child.
        drop(unsafe { std::ptr::read(capture) });
        assert_eq!(std::sync::Arc::strong_count(&kept), 2, "the parent's library releases it");
    });
    assert!(worked);
    assert_eq!(stream.is_capturing(), Ok(true), "the parent's capture goes on");
    assert_eq!(capture.end().unwrap().info().unwrap().node_count, 0);
    drop(exec);
}

/// In the child no thread sets the parent's futures: they return an error at once.
#[test]
fn futures_and_queues_in_the_child() {
    let held = Held::new();
    let event = Event::new().unwrap();
    event.record(&held.stream).unwrap();
    let queue = CompletionQueue::new(4).unwrap();
    queue.add_stream(&held.stream, 1).unwrap();
    let (finished, dropped) = (held.stream.finished().unwrap(), held.stream.finished().unwrap());
    let parts = std::panic::AssertUnwindSafe((&finished, &dropped, &queue, &event, &held.stream));
    let worked = child(move || {
        let (finished, dropped, queue, event, stream) = { parts }.0;
        // SAFETY: the child's copies are used once, in the child.
        let (finished, dropped) = unsafe { (std::ptr::read(finished), std::ptr::read(dropped)) };
        assert_eq!(status(block_on(finished)), Status::BAD_FORK);
        drop(dropped);
        assert_eq!(status(stream.finished()), Status::BAD_FORK);
        assert_eq!(status(block_on(async { event.await })), Status::BAD_FORK);
        assert_eq!(status(stream.synchronize_for(Duration::from_secs(60))), Status::BAD_FORK);
        assert_eq!(status(stream.defer(|| ())), Status::BAD_FORK);
        let mut room = [Completion::EMPTY];
        assert_eq!(status(queue.wait(&mut room, None).map(|_| ())), Status::BAD_FORK);
        assert_eq!(status(queue.poll(&mut room).map(|_| ())), Status::BAD_FORK);
        assert_eq!(status(queue.add_stream(stream, 2)), Status::BAD_FORK);
        assert_eq!(status(CompletionQueue::new(1)), Status::BAD_FORK);
        drop(queue.clone());
    });
    assert!(worked);
    drop(dropped);
    held.gate.open();
    assert_eq!(block_on(finished), Ok(()));
    assert_eq!(queue.wait(&mut [Completion::EMPTY], None).unwrap().len(), 1);
}

#[test]
fn timelines_in_the_child() {
    let timeline = Timeline::new().unwrap();
    let (stream, reached, dropped) =
        (Stream::new().unwrap(), timeline.reached(1).unwrap(), timeline.reached(2).unwrap());
    let parts = std::panic::AssertUnwindSafe((&timeline, &stream, &reached, &dropped));
    let worked = child(move || {
        let (timeline, stream, reached, dropped) = { parts }.0;
        // SAFETY: the child's copies are used once, in the child.
        let (reached, dropped) = unsafe { (std::ptr::read(reached), std::ptr::read(dropped)) };
        assert_eq!(status(block_on(reached)), Status::BAD_FORK);
        drop(dropped);
        assert_eq!(status(timeline.value()), Status::BAD_FORK);
        assert_eq!(status(timeline.set(1)), Status::BAD_FORK);
        assert_eq!(status(timeline.wait(stream, 1)), Status::BAD_FORK);
        assert_eq!(status(timeline.synchronize(1)), Status::BAD_FORK);
        assert_eq!(status(timeline.reached(1)), Status::BAD_FORK);
        assert_eq!(status(timeline.abort(Status::ABORTED)), Status::BAD_FORK);
        assert_eq!(status(Timeline::new()), Status::BAD_FORK);
        drop(timeline.clone());
        // SAFETY: as above.
        drop(unsafe { std::ptr::read(timeline) });
    });
    assert!(worked);
    assert_eq!(timeline.value(), Ok(0), "the child has changed nothing");
    drop(dropped);
    timeline.set(1).unwrap();
    assert_eq!(block_on(reached), Ok(()));
}

/// At the time of the fork, threads of the parent may be inside the parts that all futures share.
#[test]
fn futures_in_children_beside_futures_of_the_parent() {
    let _alone = support::alone();
    let held = Held::new();
    let (finished, stream) = (held.stream.finished().unwrap(), Stream::new().unwrap());
    let copy = || {
        // SAFETY: each child uses its copy once.
        assert_eq!(status(block_on(unsafe { std::ptr::read(&raw const finished) })), Status::BAD_FORK);
    };
    children_beside(std::panic::AssertUnwindSafe(copy).0, || {
        drop(stream.finished().unwrap());
        block_on(stream.finished().unwrap()).unwrap();
        drop(Timeline::new().unwrap().reached(1).unwrap());
    });
}

/// Forks many children, each of which runs a function, while another thread of this process repeats a second one.
fn children_beside(function: impl Fn() + std::panic::RefUnwindSafe, other: impl Fn() + Sync) {
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                other();
            }
        });
        let failed = (0..500).position(|_| !child(&function));
        over.store(true, Ordering::Relaxed);
        assert_eq!(failed, None, "this child hung or failed");
    });
}

/// At the time of the fork, threads of the parent may be inside the reaper's queue.
#[test]
fn drops_in_the_child_take_no_lock_of_the_parents() {
    let _alone = support::alone();
    let kept = HostBuffer::new(64).unwrap();
    // SAFETY: the child's copy of the buffer is dropped once, in the child.
    let drop_copy = || drop(unsafe { std::ptr::read(&raw const kept) });
    children_beside(drop_copy, || drop(HostBuffer::new(64).unwrap()));
}

#[test]
fn logger_is_set_in_the_child() {
    let _alone = support::alone();
    let set = || gpustream::set_log(Some(|_, _: &str| ())).unwrap();
    children_beside(set, set);
    gpustream::set_log(None::<fn(gpustream::LogLevel, &str)>).unwrap();
}
