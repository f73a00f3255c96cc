// SPDX-License-Identifier: Apache-2.0
//! Graphs built node by node: what they run, what they say about themselves, what they refuse.

mod support;

use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use gpustream::{ConditionKind, Device, Event, Graph, GraphExec, InstantiateFlags, Node, NodeKind, Status, Stream};
use support::{bytes, empty, launch, run, status};

#[test]
fn every_kind_of_node_runs_and_is_described() {
    let ((source, from), (target, to)) = (bytes(&[1, 2, 3, 4]), bytes(&[0; 8]));
    let order = Arc::new(Mutex::new(Vec::new()));
    let (recorded, waited) = (Event::new().unwrap(), Event::new().unwrap());
    let graph = empty();
    graph.keep((source.clone(), target.clone())).unwrap();
    let fill = graph.add_memset(&[], to, 9, 8).unwrap();
    let copy = graph.add_memcpy(&[fill], to, from, 4).unwrap();
    let note = |number: u32| {
        let order = order.clone();
        move || order.lock().unwrap().push(number)
    };
    let first = graph.add_host(&[copy], note(1)).unwrap();
    let wait = graph.add_wait(&[first], &waited).unwrap();
    let child = empty();
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

/// The library's refusals are those of the parity case nodes.refused.
#[test]
fn wrong_arguments() {
    let graph = empty();
    let (_word, address) = bytes(&[0; 4]);
    for wrong in [Node::from_number(0), Node::from_number(u64::MAX)] {
        assert_eq!(status(graph.add_host(&[wrong], || ())), Status::INVALID_ARGUMENT);
        assert_eq!(status(graph.node_info(wrong)), Status::INVALID_ARGUMENT);
        assert_eq!(status(graph.as_raw_node(wrong)), Status::INVALID_ARGUMENT);
    }
    assert_eq!(status(graph.add_memset(&[], address, 0, usize::MAX)), Status::INVALID_ARGUMENT);
    for (kind, bodies) in [(ConditionKind::While, 2), (ConditionKind::Switch, usize::MAX)] {
        assert_eq!(status(graph.add_condition(&[], kind, 0, bodies)), Status::INVALID_ARGUMENT, "{kind:?} {bodies}");
    }
    assert_eq!(status(graph.instantiate(InstantiateFlags::from_bits_retain(1 << 30))), Status::INVALID_ARGUMENT);
    assert_eq!(graph.info().unwrap().node_count, 0, "nothing refused was added");
}

#[test]
fn stale_graphs_and_executables() {
    let api = gpustream::sys::api().unwrap();
    let graph = empty();
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
    assert_eq!(status(graph.nodes()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.try_clone()), Status::INVALID_HANDLE);
    assert_eq!(status(graph.write_dot(&mut String::new())), Status::INVALID_HANDLE);
    assert_eq!(status(empty().add_graph(&[], &graph)), Status::INVALID_HANDLE);
    // SAFETY: nothing is launched.
    assert_eq!(status(unsafe { exec.launch(&Stream::new().unwrap()) }), Status::INVALID_HANDLE);
    assert_eq!(status(exec.try_clone()), Status::INVALID_HANDLE);
    assert_eq!(status(exec.update(&empty())), Status::INVALID_HANDLE);
    assert!(format!("{graph:?} {exec:?}").contains("handle"));
    drop((graph.clone(), exec.clone()));
}

#[test]
fn handles_of_one_graph_are_equal() {
    let graph = empty();
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
    let (graph, counted) = (empty(), count.clone());
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
