// SPDX-License-Identifier: Apache-2.0
//! Conditional nodes, and graphs as text.

mod support;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use gpustream::{BorrowedGraph, CaptureMode, ConditionKind, Event, Graph, NodeKind, Status, Stream};
use support::{bytes, empty, run, status};

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
        let graph = empty();
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
fn while_runs_until_the_word_is_zero() {
    let (words, start) = bytes(&[1, 0, 0, 0, 0, 0, 0, 0]);
    let zero = start.cast::<u8>().wrapping_add(4).cast();
    let graph = empty();
    graph.keep(words.clone()).unwrap();
    let again = graph.add_while(&[], 1).unwrap();
    let copied = again.body(0).add_memcpy(&[], start, zero, 4).unwrap();
    again.body(0).set_condition(&[copied], &again, start).unwrap();
    run(&graph);
    assert_eq!(**words, [0; 8]);
}

#[test]
fn bodies_keep_for_their_graph() {
    let graph = empty();
    let (_word, address) = bytes(&[0; 4]);
    let node = graph.add_if(&[], 0).unwrap();
    let body = node.body(0);
    assert_eq!(status(body.add_host(&[], || ())), Status::NOT_SUPPORTED);
    assert_eq!(status(graph.duplicate()), Status::NOT_SUPPORTED);
    let nested = body.add_while(&[], 0).unwrap();
    nested.body(0).set_condition(&[], &nested, address).unwrap();
    let kept = Arc::new(());
    nested.body(0).keep(kept.clone()).unwrap();
    drop(graph);
    support::until(|| Arc::strong_count(&kept) == 1);
}

#[test]
fn a_body_that_was_captured_into_can_be_cloned() {
    let (graph, stream) = (empty(), Stream::new().unwrap());
    let node = graph.add_if(&[], 1).unwrap();
    let body = node.body(0).capture(&stream, &[], CaptureMode::Relaxed).unwrap().end().unwrap();
    assert_eq!(status(body.try_clone()), Status::NOT_PERMITTED);
    let copy = body.clone();
    drop(body);
    copy.add_empty(&[]).unwrap(); // it ends with the graph
    drop(graph);
    assert_eq!(status(copy.add_empty(&[])), Status::INVALID_HANDLE);
}

#[test]
fn picture() {
    let graph = empty();
    let (_target, out) = bytes(&[0]);
    let fill = graph.add_memset(&[], out, 5, 1).unwrap();
    branches(&graph, graph.add_if(&[fill], 1).unwrap().bodies(), out);
    let mut text = String::new();
    graph.write_dot(&mut text).unwrap();
    assert!(text.starts_with("digraph") && text.contains("->") && text.contains("subgraph"), "{text}");
    assert!(text.trim_end().ends_with('}'));
}

#[test]
fn picture_of_names_beyond_ascii() {
    let (graph, name) = (empty(), "\u{20ac}".repeat(21));
    for _ in 0..1000 {
        let event = Event::new().unwrap();
        event.set_name(&name).unwrap();
        graph.add_record(&[], &event).unwrap();
    }
    let mut text = String::new();
    graph.write_dot(&mut text).unwrap();
    assert_eq!(text.matches(&name).count(), 1000);
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
    let graph = empty();
    let mut full = Full(0);
    let error = graph.write_dot(&mut full).unwrap_err();
    assert_eq!((error.status(), full.0), (Status::SYSTEM, 1), "{error}");
    let panicked = catch_unwind(AssertUnwindSafe(|| graph.write_dot(&mut Panics))).unwrap_err();
    assert_eq!(panicked.downcast_ref(), Some(&"of the writer"));
    graph.add_empty(&[]).unwrap();
}
