// SPDX-License-Identifier: Apache-2.0
//! Graphs built node by node: what they run, what they say about themselves, what they refuse.

mod support;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use gpustream::{
    BorrowedGraph, ConditionKind, Device, Event, Graph, GraphExec, HostBuffer, InstantiateFlags, Node, NodeKind,
    Status, Stream,
};
use support::{Held, launch, status};

fn new() -> Graph {
    Graph::new(Device::CURRENT).unwrap()
}

fn run(graph: &Graph) {
    let stream = Stream::new().unwrap();
    launch(&graph.instantiate(InstantiateFlags::empty()).unwrap(), &stream);
    stream.synchronize().unwrap();
}

/// Bytes that graphs write and tests read afterwards.
fn bytes(values: &[u8]) -> (Arc<HostBuffer>, *mut std::ffi::c_void) {
    let buffer = Arc::new(HostBuffer::from_slice(values).unwrap());
    let address = buffer.as_ptr().cast_mut().cast();
    (buffer, address)
}

#[test]
fn every_kind_of_node_runs_and_is_described() {
    let ((source, from), (target, to)) = (bytes(&[1, 2, 3, 4]), bytes(&[0; 8]));
    let order = Arc::new(Mutex::new(Vec::new()));
    let (recorded, waited) = (Event::new().unwrap(), Event::new().unwrap());
    let graph = new();
    graph.keep((source.clone(), target.clone())).unwrap();
    let fill = graph.add_memset(&[], to, 9, 8).unwrap();
    let copy = graph.add_memcpy(&[fill], to, from, 4).unwrap();
    let note = |number: u32| {
        let order = order.clone();
        move || order.lock().unwrap().push(number)
    };
    let first = graph.add_host(&[copy], note(1)).unwrap();
    let wait = graph.add_wait(&[first], &waited).unwrap();
    let child = new();
    child.add_host(&[], note(2)).unwrap();
    let inside = graph.add_graph(&[wait], &child).unwrap();
    child.add_host(&[], note(9)).unwrap(); // too late for the copy
    let last = graph.add_host(&[inside], note(3)).unwrap();
    let record = graph.add_record(&[last], &recorded).unwrap();
    let end = graph.add_empty(&[record, fill]).unwrap();

    let all = [fill, copy, first, wait, inside, last, record, end];
    assert_eq!(graph.nodes().unwrap(), all);
    let kinds = all.map(|node| graph.node_info(node).unwrap().kind);
    use NodeKind::{Empty, Graph, Host, Memcpy, Memset, Record, Wait};
    assert_eq!(kinds, [Memset, Memcpy, Host, Wait, Graph, Host, Record, Empty]);
    let info = graph.info().unwrap();
    assert_eq!((info.node_count, info.edge_count, info.is_body, info.has_conditions), (8, 8, false, false));
    assert_eq!(info.device.ordinal(), Device::current().unwrap().ordinal());
    let edges = graph.edges().unwrap();
    assert!(edges.len() == 8 && edges.contains(&(fill, end)) && edges.contains(&(fill, copy)), "{edges:?}");
    let filled = graph.node_info(fill).unwrap();
    assert_eq!((filled.to, filled.byte, filled.bytes, filled.successor_count), (to, 9, 8, 2));
    let copied = graph.node_info(copy).unwrap();
    assert_eq!((copied.to, copied.from, copied.bytes, copied.predecessor_count), (to, from.cast_const(), 4, 1));
    assert_ne!(graph.as_raw_node(fill).unwrap(), graph.as_raw_node(copy).unwrap());

    run(&graph);
    assert_eq!(**target, [1, 2, 3, 4, 9, 9, 9, 9]);
    assert_eq!(*order.lock().unwrap(), [1, 2, 3]);
    assert_eq!(recorded.query(), Ok(true));
}

#[test]
fn waits_and_records_order_launches_with_streams() {
    let held = Held::new();
    let (before, after) = (Event::new().unwrap(), Event::new().unwrap());
    before.record(&held.stream).unwrap();
    let graph = new();
    let wait = graph.add_wait(&[], &before).unwrap();
    graph.add_record(&[wait], &after).unwrap();
    let (stream, follower) = (Stream::new().unwrap(), Stream::new().unwrap());
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    launch(&exec, &stream);
    follower.wait_event(&after).unwrap();
    assert_eq!((stream.query(), follower.query()), (Ok(false), Ok(false)));
    held.gate.open();
    follower.synchronize().unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn wrong_arguments() {
    let (graph, other) = (new(), new());
    let (node, foreign) = (graph.add_empty(&[]).unwrap(), other.add_empty(&[]).unwrap());
    let (_word, address) = bytes(&[0; 4]);
    let function = || ();
    for wrong in [&[foreign][..], &[node, node], &[Node::from_number(0)], &[Node::from_number(u64::MAX)]] {
        assert_eq!(status(graph.add_empty(wrong)), Status::INVALID_ARGUMENT);
        assert_eq!(status(graph.add_host(wrong, function)), Status::INVALID_ARGUMENT);
        assert_eq!(status(graph.add_if(wrong, 0)), Status::INVALID_ARGUMENT);
    }
    assert_eq!(status(graph.add_memcpy(&[], null_mut(), address, 4)), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.add_memcpy(&[], address, null(), 4)), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.add_memset(&[], address, 0, 0)), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.add_memset(&[], address, 0, usize::MAX)), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.add_graph(&[], &graph)), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.node_info(foreign)), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.as_raw_node(foreign)), Status::INVALID_ARGUMENT);
    for (kind, bodies) in [
        (ConditionKind::If, 0),
        (ConditionKind::If, 3),
        (ConditionKind::While, 2),
        (ConditionKind::Switch, 0),
        (ConditionKind::Switch, 1025),
        (ConditionKind::Switch, usize::MAX),
    ] {
        assert_eq!(status(graph.add_condition(&[], kind, 0, bodies)), Status::INVALID_ARGUMENT, "{kind:?} {bodies}");
    }
    assert_eq!(status(graph.instantiate(InstantiateFlags::from_bits_retain(1 << 30))), Status::INVALID_ARGUMENT);
    assert_eq!(status(Graph::new(Device::new(99))), Status::INVALID_DEVICE);
    let elsewhere = Graph::new(Device::new(1)).unwrap();
    assert_eq!(status(graph.add_graph(&[], &elsewhere)), Status::DEVICE_MISMATCH);
    let event = Event::new().unwrap();
    event.record(&Stream::builder().device(Device::new(1)).build().unwrap()).unwrap();
    assert_eq!(status(graph.add_record(&[], &event)), Status::DEVICE_MISMATCH);
    graph.add_wait(&[], &event).unwrap();
    let exec = elsewhere.instantiate(InstantiateFlags::empty()).unwrap();
    // SAFETY: the graph is empty.
    assert_eq!(status(unsafe { exec.launch(&Stream::new().unwrap()) }), Status::DEVICE_MISMATCH);
    assert_eq!(graph.info().unwrap().node_count, 2, "nothing refused was added");
}

#[test]
fn stale_graphs_and_executables() {
    let api = gpustream::sys::api().unwrap();
    let graph = new();
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    // SAFETY: take numbers; make the handles stale.
    unsafe {
        assert_eq!(api.gs_graph_destroy(graph.as_handle()), Ok(0));
        assert_eq!(api.gs_graph_exec_destroy(exec.as_handle()), Ok(0));
    }
    let kept = Arc::new(());
    assert_eq!(status(graph.keep(kept.clone())), Status::INVALID_HANDLE);
    let owned = kept.clone();
    assert_eq!(status(graph.add_host(&[], move || _ = &owned)), Status::INVALID_HANDLE);
    assert_eq!(Arc::strong_count(&kept), 1, "refused values are dropped");
    assert_eq!(status(graph.add_empty(&[])), Status::INVALID_HANDLE);
    assert_eq!(status(graph.info()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.nodes()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.edges()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.as_raw_graph()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.duplicate()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.try_clone()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.write_dot(&mut String::new())), Status::INVALID_HANDLE);
    assert_eq!(status(new().add_graph(&[], &graph)), Status::INVALID_HANDLE);
    // SAFETY: nothing is launched.
    assert_eq!(status(unsafe { exec.launch(&Stream::new().unwrap()) }), Status::INVALID_HANDLE);
    assert_eq!(status(exec.upload(&Stream::new().unwrap())), Status::INVALID_HANDLE);
    assert_eq!(status(exec.as_raw_exec()), Status::INVALID_HANDLE);
    assert_eq!(status(exec.try_clone()), Status::INVALID_HANDLE);
    assert_eq!(status(exec.update(&new())), Status::INVALID_HANDLE);
    assert!(format!("{graph:?} {exec:?}").contains("handle"));
    drop((graph.clone(), exec.clone()));
}

#[test]
fn handles_of_one_graph_are_equal() {
    let graph = new();
    let (same, copy) = (graph.clone(), graph.duplicate().unwrap());
    assert!(graph == same && graph == graph.try_clone().unwrap() && graph != copy);
    let handle = same.into_handle();
    // SAFETY: gives back the reference that `into_handle` gave away.
    let same = unsafe { Graph::from_handle(handle) };
    assert_eq!(graph, same);
    drop(same);
    graph.add_empty(&[]).unwrap();
    assert_eq!((graph.nodes().unwrap().len(), copy.nodes().unwrap().len()), (1, 0));
    assert!(format!("{graph:?}").contains("nodes: 1"), "{graph:?}");
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    drop(graph);
    let same = exec.clone();
    assert!(exec == same && exec == exec.try_clone().unwrap());
    // SAFETY: gives back the reference that `into_handle` gave away.
    let same = unsafe { GraphExec::from_handle(same.into_handle()) };
    drop(exec);
    let stream = Stream::new().unwrap();
    same.upload(&stream).unwrap();
    launch(&same, &stream);
    stream.synchronize().unwrap();
}

#[test]
fn raw_graphs_come_and_go() {
    let count = Arc::new(AtomicU32::new(0));
    let (graph, counted) = (new(), count.clone());
    graph.add_host(&[], move || _ = counted.fetch_add(1, Ordering::Relaxed)).unwrap();
    let native = graph.as_raw_graph().unwrap();
    // SAFETY: the graph outlives the wrapper.
    let wrapped = unsafe { Graph::from_raw(Device::CURRENT, native) }.unwrap();
    assert_eq!((wrapped.as_raw_graph().unwrap(), wrapped.nodes().unwrap().len()), (native, 1));
    let exec = wrapped.instantiate(InstantiateFlags::empty()).unwrap();
    drop(wrapped);
    assert!(!exec.as_raw_exec().unwrap().is_null());
    let stream = Stream::new().unwrap();
    launch(&exec, &stream);
    stream.synchronize().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 1);
    for wrong in [null_mut(), std::ptr::without_provenance_mut(0x1001)] {
        // SAFETY: numbers that are no address are refused.
        assert_eq!(status(unsafe { Graph::from_raw(Device::CURRENT, wrong) }), Status::INVALID_HANDLE);
    }
}

/// The word decides which body fills which byte.
fn branches(graph: &Graph, bodies: &[BorrowedGraph<'_>], target: *mut std::ffi::c_void) {
    assert!(graph.info().unwrap().has_conditions);
    for (index, body) in bodies.iter().enumerate() {
        assert!(body.info().unwrap().is_body);
        assert!(format!("{body:?}").starts_with("BorrowedGraph"));
        let byte = target.cast::<u8>().wrapping_add(index).cast();
        body.add_memset(&[], byte, 1, 1).unwrap();
    }
}

#[test]
fn conditions_choose_bodies() {
    for (word, wanted) in [(0, [0, 1, 1, 0]), (1, [1, 0, 0, 1]), (2, [1, 0, 0, 0])] {
        let (decision, address) = bytes(&[word, 0, 0, 0]);
        let (target, out) = bytes(&[0; 4]);
        let graph = new();
        graph.keep((decision, target.clone())).unwrap();
        let either = graph.add_if_else(&[], 7).unwrap();
        let switch = graph.add_switch(&[], 7, 2).unwrap();
        branches(&graph, either.bodies(), out);
        branches(&graph, switch.bodies(), out.cast::<u8>().wrapping_add(2).cast());
        for condition in [&either, &switch] {
            let set = graph.set_condition(&[], condition, address).unwrap();
            assert!(graph.edges().unwrap().contains(&(set, condition.node())));
        }
        let info = graph.node_info(switch.node()).unwrap();
        assert_eq!((info.kind, info.condition, info.body_count), (NodeKind::Condition, Some(ConditionKind::Switch), 2));
        run(&graph);
        assert_eq!(**target, wanted, "the word is {word}");
    }
}

#[test]
fn if_without_a_word_runs_as_it_began() {
    for initial in [0, 1] {
        let (target, out) = bytes(&[0]);
        let graph = new();
        branches(&graph, graph.add_if(&[], initial).unwrap().bodies(), out);
        run(&graph);
        assert_eq!(u32::from(target[0]), initial);
    }
}

#[test]
fn while_runs_until_the_word_is_zero() {
    let (words, start) = bytes(&[1, 0, 0, 0, 0, 0, 0, 0]);
    let zero = start.cast::<u8>().wrapping_add(4).cast();
    let graph = new();
    graph.keep(words.clone()).unwrap();
    let again = graph.add_while(&[], 1).unwrap();
    let copied = again.body(0).add_memcpy(&[], start, zero, 4).unwrap();
    again.body(0).set_condition(&[copied], &again, start).unwrap();
    run(&graph);
    assert_eq!(**words, [0; 8]);
}

#[test]
fn what_bodies_cannot_do() {
    let graph = new();
    let branch = graph.add_if(&[], 0).unwrap();
    let (_word, address) = bytes(&[0; 4]);
    let body = branch.body(0);
    assert_eq!(status(body.add_host(&[], || ())), Status::NOT_SUPPORTED);
    assert_eq!(status(body.add_record(&[], &Event::new().unwrap())), Status::NOT_SUPPORTED);
    assert_eq!(status(body.add_wait(&[], &Event::new().unwrap())), Status::NOT_SUPPORTED);
    assert_eq!(status(graph.duplicate()), Status::NOT_SUPPORTED);
    assert_eq!(status(new().add_graph(&[], &graph)), Status::NOT_SUPPORTED);
    assert_eq!(status(graph.set_condition(&[], &branch, null())), Status::INVALID_ARGUMENT);
    let odd = address.cast::<u8>().wrapping_add(1).cast();
    assert_eq!(status(graph.set_condition(&[], &branch, odd)), Status::INVALID_ARGUMENT);
    assert_eq!(status(new().set_condition(&[], &branch, address)), Status::INVALID_ARGUMENT);
    let after = graph.add_empty(&[branch.node()]).unwrap();
    assert_eq!(status(graph.set_condition(&[after], &branch, address)), Status::INVALID_ARGUMENT, "a cycle");
    let nested = body.add_while(&[], 0).unwrap();
    nested.body(0).set_condition(&[], &nested, address).unwrap();
    let kept = Arc::new(());
    nested.body(0).keep(kept.clone()).unwrap();
    drop(graph);
    support::until(|| Arc::strong_count(&kept) == 1);
}

#[test]
fn picture() {
    let graph = new();
    let (_target, out) = bytes(&[0]);
    let fill = graph.add_memset(&[], out, 5, 1).unwrap();
    branches(&graph, graph.add_if(&[fill], 1).unwrap().bodies(), out);
    let mut text = String::new();
    graph.write_dot(&mut text).unwrap();
    assert!(text.starts_with("digraph") && text.contains("->") && text.contains("subgraph"), "{text}");
    assert!(text.trim_end().ends_with('}'));
}

#[test]
fn writers_that_fail() {
    struct Full(u32);
    impl fmt::Write for Full {
        fn write_str(&mut self, _: &str) -> fmt::Result {
            self.0 += 1;
            Err(fmt::Error)
        }
    }
    struct Panics;
    impl fmt::Write for Panics {
        fn write_str(&mut self, _: &str) -> fmt::Result {
            std::panic::resume_unwind(Box::new("of the writer"))
        }
    }
    let graph = new();
    let mut full = Full(0);
    let error = graph.write_dot(&mut full).unwrap_err();
    assert_eq!((error.status(), full.0), (Status::SYSTEM, 1), "{error}");
    let panicked = catch_unwind(AssertUnwindSafe(|| graph.write_dot(&mut Panics))).unwrap_err();
    assert_eq!(panicked.downcast_ref(), Some(&"of the writer"));
    graph.add_empty(&[]).unwrap();
}

#[test]
fn one_executable_is_launched_by_many_threads_and_never_overlaps_itself() {
    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let total = Arc::new(AtomicU32::new(0));
    let graph = new();
    let (now, seen, all) = (running.clone(), most.clone(), total.clone());
    let function = move || {
        seen.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        all.fetch_add(1, Ordering::Relaxed);
        now.fetch_sub(1, Ordering::SeqCst);
    };
    graph.add_host(&[], function).unwrap();
    let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let stream = Stream::new().unwrap();
                (0..100).for_each(|_| launch(&exec, &stream));
                stream.synchronize().unwrap();
            });
        }
    });
    assert_eq!((most.load(Ordering::SeqCst), total.load(Ordering::Relaxed)), (1, 400));
}
