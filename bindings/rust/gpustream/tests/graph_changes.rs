// SPDX-License-Identifier: Apache-2.0
//! Changing executables: whole graphs and single nodes.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gpustream::{
    Backend, Device, Event, Graph, GraphExec, GraphUpdate, HostBuffer, InstantiateFlags, KernelArgument, LaunchConfig,
    Node, NodeKind, Status, Stream, UpdateReason,
};
use support::{Held, empty, launch, module, status, until};

fn instantiate(graph: &Graph) -> GraphExec {
    graph.instantiate(InstantiateFlags::empty()).unwrap()
}

fn run(exec: &GraphExec) {
    let stream = Stream::new().unwrap();
    launch(exec, &stream);
    stream.synchronize().unwrap();
}

/// A graph of one function that adds to a number.
fn adding(number: &Arc<AtomicU32>, summand: u32) -> (Graph, Node) {
    let graph = empty();
    let node = graph.add_host(&[], add(number, summand)).unwrap();
    (graph, node)
}

fn add(number: &Arc<AtomicU32>, summand: u32) -> impl Fn() + Send + Sync + 'static {
    let number = number.clone();
    move || _ = number.fetch_add(summand, Ordering::Relaxed)
}

#[test]
fn graph_of_the_same_shape_is_taken_over() {
    let number = Arc::new(AtomicU32::new(0));
    let ((one, _), (hundred, _)) = (adding(&number, 1), adding(&number, 100));
    let exec = instantiate(&one);
    run(&exec);
    let updated = exec.update(&hundred).unwrap();
    assert!(updated.is_done());
    drop((one, hundred));
    run(&exec);
    assert_eq!(number.load(Ordering::Relaxed), 101);
}

#[test]
fn graph_of_another_shape_is_refused_with_the_reason() {
    let number = Arc::new(AtomicU32::new(0));
    let (one, _) = adding(&number, 1);
    let exec = instantiate(&one);
    let longer = empty();
    let first = longer.add_host(&[], add(&number, 7)).unwrap();
    longer.add_empty(&[first]).unwrap();
    let refused = exec.update(&longer).unwrap();
    assert!(matches!(refused, GraphUpdate::Refused { reason: UpdateReason::Topology, .. }), "{refused:?}");
    let kind = empty();
    let node = kind.add_empty(&[]).unwrap();
    let refused = exec.update(&kind).unwrap();
    assert_eq!(refused, GraphUpdate::Refused { reason: UpdateReason::Kind, node: Some(node) });
    assert!(!refused.is_done());
    run(&exec);
    assert_eq!(number.load(Ordering::Relaxed), 1, "the executable is unchanged");
    let elsewhere = Graph::new(Device::new(1)).unwrap();
    assert_eq!(status(exec.update(&elsewhere)), Status::DEVICE_MISMATCH);
}

#[test]
fn single_nodes_change() {
    let host = |values: &[u8]| HostBuffer::from_slice(values).unwrap();
    let (a, b, mut to) = (host(&[1, 2]), host(&[3, 4]), host(&[0; 4]));
    let (target, half): (*mut u8, _) = (to.as_mut_ptr(), to.as_mut_ptr().wrapping_add(2));
    let (recorded, other, waited) = (Event::new().unwrap(), Event::new().unwrap(), Event::new().unwrap());
    let graph = empty();
    let copy = graph.add_memcpy(&[], target.cast(), a.as_ptr().cast(), 2).unwrap();
    let fill = graph.add_memset(&[], half.cast(), 5, 2).unwrap();
    let record = graph.add_record(&[copy], &recorded).unwrap();
    let wait = graph.add_wait(&[], &waited).unwrap();
    let exec = instantiate(&graph);
    run(&exec);
    assert_eq!(*to, [1, 2, 5, 5]);

    exec.set_memcpy(copy, target.cast(), b.as_ptr().cast(), 2).unwrap();
    exec.set_memset(fill, half.cast(), 6, 1).unwrap();
    exec.set_record(record, &other).unwrap();
    let held = Held::new();
    let gate = Event::new().unwrap();
    gate.record(&held.stream).unwrap();
    exec.set_wait(wait, &gate).unwrap();
    let stream = Stream::new().unwrap();
    launch(&exec, &stream);
    assert_eq!(stream.query(), Ok(false), "waits for the new event");
    held.gate.open();
    stream.synchronize().unwrap();
    assert_eq!(*to, [3, 4, 6, 5]);
    assert!(other.device().unwrap().is_some());

    exec.enable(copy, false).unwrap();
    exec.set_memset(fill, target.cast(), 0, 4).unwrap();
    run(&exec);
    assert_eq!(*to, [0; 4], "the copy is off");
    exec.enable(copy, true).unwrap();
    exec.enable(fill, false).unwrap();
    run(&exec);
    assert_eq!(*to, [3, 4, 0, 0]);

    drop(graph);
    assert_eq!(status(exec.enable(copy, false)), Status::INVALID_HANDLE, "its graph is gone");
}

#[test]
fn kernels_run_and_change_and_keep_their_module() {
    if Backend::default_backend() != Ok(Some(Backend::Host)) {
        return eprintln!("not run: the image is one of the host backend");
    }
    let mut memory = HostBuffer::new(32).unwrap();
    let start: *mut u8 = memory.as_mut_ptr();
    let module = module();
    let kernel = module.kernel("parity_scale").unwrap();
    let graph = empty();
    let arguments = [KernelArgument::new(&start), KernelArgument::new(&3_u32)];
    let node = graph.add_kernel(&[], &kernel, &LaunchConfig::linear(2, 4), &arguments).unwrap();
    let info = graph.node_info(node).unwrap();
    assert_eq!((info.kind, info.config), (NodeKind::Kernel, LaunchConfig::linear(2, 4)));
    assert!(info.name.contains("parity_scale"), "{}", info.name);
    let exec = instantiate(&graph);
    let numbers = |memory: &HostBuffer| -> Vec<u32> {
        memory.chunks(4).map(|bytes| u32::from_ne_bytes(bytes.try_into().unwrap())).collect()
    };
    run(&exec);
    assert_eq!(numbers(&memory), [0, 3, 6, 9, 12, 15, 18, 21]);
    let arguments = [KernelArgument::new(&start), KernelArgument::new(&10_u32)];
    exec.set_kernel(node, &kernel, &LaunchConfig::linear(1, 4), &arguments).unwrap();
    let wrong = LaunchConfig::linear(0, 4);
    assert_eq!(status(exec.set_kernel(node, &kernel, &wrong, &arguments)), Status::INVALID_ARGUMENT);
    assert_eq!(status(graph.add_kernel(&[], &kernel, &wrong, &arguments)), Status::INVALID_ARGUMENT);
    module.unload().unwrap();
    run(&exec);
    assert_eq!(numbers(&memory), [0, 10, 20, 30, 12, 15, 18, 21]);
}

#[test]
fn changed_function_lives_until_executable_and_launches_have_ended() {
    let number = Arc::new(AtomicU32::new(0));
    let (graph, node) = adding(&number, 1);
    let exec = instantiate(&graph);
    let owned = Arc::new(());
    let (kept, summand) = (owned.clone(), add(&number, 10));
    let function = move || {
        let _kept = &kept;
        summand();
    };
    exec.set_host(node, function).unwrap();
    run(&exec);
    assert_eq!(number.load(Ordering::Relaxed), 10);
    let held = Held::new();
    launch(&exec, &held.stream);
    drop((exec, graph));
    assert_eq!(Arc::strong_count(&owned), 2, "a launch is under way");
    held.gate.open();
    held.stream.synchronize().unwrap();
    until(|| Arc::strong_count(&owned) == 1);
    assert_eq!(number.load(Ordering::Relaxed), 20);
}

/// After an update the functions are those of the other graph, and changes are kept with that.
#[test]
fn functions_change_after_an_update() {
    let number = Arc::new(AtomicU32::new(0));
    let ((one, node), (ten, _)) = (adding(&number, 1), adding(&number, 10));
    let exec = instantiate(&one);
    let early = Arc::new(());
    let kept = early.clone();
    exec.set_host(node, move || _ = &kept).unwrap();
    assert!(exec.update(&ten).unwrap().is_done());
    run(&exec);
    let late = Arc::new(());
    let (kept, summand) = (late.clone(), add(&number, 100));
    exec.set_host(node, move || {
        let _kept = &kept;
        summand();
    })
    .unwrap();
    drop((one, ten));
    run(&exec);
    assert_eq!((number.load(Ordering::Relaxed), Arc::strong_count(&late)), (110, 2));
    let held = Held::new();
    launch(&exec, &held.stream);
    drop(exec);
    assert_eq!(Arc::strong_count(&late), 2, "a launch is under way");
    held.gate.open();
    held.stream.synchronize().unwrap();
    until(|| Arc::strong_count(&late) == 1 && Arc::strong_count(&early) == 1);
    assert_eq!(number.load(Ordering::Relaxed), 210);
}

#[test]
fn refused_function_is_dropped() {
    let number = Arc::new(AtomicU32::new(0));
    let (graph, node) = adding(&number, 1);
    let exec = instantiate(&graph);
    let owned = Arc::new(());
    let kept = owned.clone();
    let unknown = Node::from_number(u64::MAX);
    assert_eq!(status(exec.set_host(unknown, move || _ = &kept)), Status::INVALID_ARGUMENT);
    assert_eq!(Arc::strong_count(&owned), 1);
    // SAFETY: gives back the reference that `into_handle` gave away.
    let elsewhere = unsafe { GraphExec::from_handle(exec.into_handle()) };
    let kept = owned.clone();
    assert_eq!(status(elsewhere.set_host(node, move || _ = &kept)), Status::NOT_SUPPORTED);
    assert_eq!(Arc::strong_count(&owned), 1);
    unsafe extern "C" fn hundred(number: *mut std::ffi::c_void) {
        // SAFETY: a number of the test that outlives the launch.
        unsafe { &*number.cast::<AtomicU32>() }.fetch_add(100, Ordering::Relaxed);
    }
    elsewhere.set_host_raw(node, hundred, Arc::as_ptr(&number).cast_mut().cast()).unwrap();
    run(&elsewhere);
    assert_eq!(number.load(Ordering::Relaxed), 100);
}
