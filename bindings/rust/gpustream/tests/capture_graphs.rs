// SPDX-License-Identifier: Apache-2.0
//! Captures and the graphs they go into.

mod support;

use std::sync::atomic::Ordering;

use gpustream::{CaptureMode, Device, DeviceBuffer, Graph, HostBuffer, InstantiateFlags, Status, Stream};
use support::{counter, current_stream, launch, status};

#[test]
fn nodes_enter_a_capture() {
    let stream = Stream::new().unwrap();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    assert_eq!(stream.capture_nodes().unwrap(), []);
    capture.launch_host(&stream, || ()).unwrap();
    let graph = capture.graph().unwrap();
    let [first] = stream.capture_nodes().unwrap()[..] else { panic!("one node") };
    let second = graph.add_empty(&[first]).unwrap();
    let third = graph.add_empty(&[]).unwrap();
    stream.set_capture_nodes(&[second]).unwrap();
    assert_eq!(stream.capture_nodes().unwrap(), [second]);
    stream.add_capture_nodes(&[third]).unwrap();
    assert_eq!(stream.capture_nodes().unwrap().len(), 2);
    let other = Graph::new(Device::CURRENT).unwrap();
    assert_eq!(status(stream.set_capture_nodes(&[other.add_empty(&[]).unwrap()])), Status::INVALID_ARGUMENT);
    capture.launch_host(&stream, || ()).unwrap();
    let ended = capture.end().unwrap();
    let last = *ended.nodes().unwrap().iter().find(|node| ![first, second, third].contains(node)).unwrap();
    let mut edges = ended.edges().unwrap();
    edges.sort_unstable();
    let mut wanted = [(first, second), (second, last), (third, last)];
    wanted.sort_unstable();
    assert_eq!(edges, wanted);
    assert_eq!(status(stream.capture_nodes()), Status::NOT_PERMITTED);
    assert_eq!(status(stream.set_capture_nodes(&[])), Status::NOT_PERMITTED);
}

#[test]
fn captures_go_into_graphs_and_keep_their_nodes_when_aborted() {
    let stream = Stream::new().unwrap();
    let graph = Graph::new(Device::CURRENT).unwrap();
    let first = graph.add_empty(&[]).unwrap();
    let (count, function) = counter();
    let capture = graph.capture(&stream, &[first], CaptureMode::ThreadLocal).unwrap();
    assert_eq!(status(graph.capture(&Stream::new().unwrap(), &[], CaptureMode::ThreadLocal)), Status::CAPTURING);
    assert_eq!(status(graph.instantiate(InstantiateFlags::empty())), Status::CAPTURING);
    capture.launch_host(&stream, function.clone()).unwrap();
    assert_eq!(capture.end().unwrap(), graph);
    assert_eq!(graph.edges().unwrap().len(), 1);
    let capture = graph.capture(&stream, &[], CaptureMode::Relaxed).unwrap();
    capture.launch_host(&stream, function).unwrap();
    drop(capture);
    assert_eq!(graph.info().unwrap().node_count, 3);
    launch(&graph.instantiate(InstantiateFlags::empty()).unwrap(), &stream);
    stream.synchronize().unwrap();
    assert_eq!(count.load(Ordering::Relaxed), 2);

    let foreign = Graph::new(Device::CURRENT).unwrap();
    assert_eq!(status(foreign.capture(&stream, &[first], CaptureMode::Relaxed)), Status::INVALID_ARGUMENT);
    let elsewhere = Graph::new(Device::new(1)).unwrap();
    assert_eq!(status(elsewhere.capture(&stream, &[], CaptureMode::Relaxed)), Status::DEVICE_MISMATCH);
    assert_eq!(stream.is_capturing(), Ok(false));
}

#[test]
fn bodies_are_captured_into() {
    let stream = Stream::new().unwrap();
    let mut word = HostBuffer::from_slice(&[0_u8; 4]).unwrap();
    let address = word.as_mut_ptr().cast();
    let graph = Graph::new(Device::CURRENT).unwrap();
    let branch = graph.add_if(&[], 1).unwrap();
    let capture = branch.body(0).capture(&stream, &[], CaptureMode::Relaxed).unwrap();
    // SAFETY: the word outlives the launch.
    unsafe { stream.memset(address, 7, 4) }.unwrap();
    drop(capture.end().unwrap());
    assert_eq!(branch.body(0).info().unwrap().node_count, 1, "dropping the result leaves the body to its graph");
    launch(&graph.instantiate(InstantiateFlags::empty()).unwrap(), &stream);
    stream.synchronize().unwrap();
    assert_eq!(*word, [7; 4]);
}

/// The host does not wait for a captured copy, whose memory each launch uses.
#[test]
fn buffers_are_not_copied_to_the_host_in_captures() {
    let stream = current_stream();
    let (before, dropped) = (DeviceBuffer::new(&stream, 8).unwrap(), DeviceBuffer::new(&stream, 8).unwrap());
    stream.synchronize().unwrap();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    assert_eq!(status(DeviceBuffer::new(&stream, 8)), Status::CAPTURING);
    assert_eq!(status(before.read(HostBuffer::new(8).unwrap())), Status::CAPTURING);
    drop(dropped);
    assert_eq!(capture.end().unwrap().info().unwrap().node_count, 0);
    DeviceBuffer::new(&stream, 8).unwrap().read(HostBuffer::new(8).unwrap()).unwrap().wait().unwrap();
}
