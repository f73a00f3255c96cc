// SPDX-License-Identifier: Apache-2.0
// Bodies of programs, each behind its name and the error that the compiler must report; `fine` has none. compile_fail.rs has what
// comes before them.

//# body_instantiated: E0599 no method named `instantiate`
let branch = graph.add_if(&[], 1).unwrap();
branch.body(0).instantiate(InstantiateFlags::empty()).unwrap();

//# body_outlives_its_graph: E0505 cannot move out of `graph` because it is borrowed
let branch = graph.add_if(&[], 1).unwrap();
drop(graph);
branch.body(0).add_empty(&[]).unwrap();

//# borrowed_as_stream_without_unsafe: E0133 unsafe
fn keep(borrowed: &BorrowedStream<'_>) -> Result<()> {
    borrowed.as_stream().set_current()
}

//# borrowed_cloned_as_owned: E0599 no method named `clone`
fn keep(borrowed: &BorrowedStream<'_>) -> Stream {
    (**borrowed).clone()
}

//# borrowed_current_for_a_call: E0599 no method named `with`
fn keep(borrowed: &BorrowedStream<'_>) -> Result<()> {
    borrowed.with(|| ())
}

//# borrowed_exchanged: E0599 no method named `exchange_current`
fn keep(borrowed: &BorrowedStream<'_>) -> Result<()> {
    borrowed.exchange_current().map(drop)
}

//# borrowed_guarded: E0308 mismatched types
fn keep(borrowed: &BorrowedStream<'_>) -> Result<()> {
    StreamGuard::new(borrowed).map(drop)
}

//# borrowed_made_current: E0599 no method named `set_current`
fn keep(borrowed: &BorrowedStream<'_>) -> Result<()> {
    borrowed.set_current()
}

//# borrowed_outlives_its_owner: E0597 does not live long enough
struct Foreign(*mut std::ffi::c_void);
fn borrow(foreign: &Foreign) -> BorrowedStream<'_> {
    unsafe { BorrowedStream::from_raw(Device::CURRENT, foreign.0) }.unwrap()
}
let borrowed;
{
    let foreign = Foreign(std::ptr::null_mut());
    borrowed = borrow(&foreign);
}
borrowed.query().unwrap();

//# borrowed_unpacked: E0133 unsafe
fn keep(borrowed: &BorrowedStream<'_>) -> Result<()> {
    Stream::unpack(borrowed.pack()?).map(drop)
}

//# buffer_of_bools: E0277 the trait bound `bool: Plain` is not satisfied
let _buffer = DeviceBuffer::<bool>::zeroed(&stream, 8).unwrap();

//# buffer_of_references: E0277 Plain` is not satisfied
let number = 5;
let _buffer = HostBuffer::from_slice(&[&number]).unwrap();

//# buffer_used_while_copied: E0382 borrow of moved value: `host`
let device = DeviceBuffer::new(&stream, 8).unwrap();
let host = HostBuffer::new(8).unwrap();
let pending = device.write(host).unwrap();
println!("{}", host[0]);
drop(pending);

//# capture_outlives_its_stream: E0505 cannot move out of `stream` because it is borrowed
let capture = stream.capture(CaptureMode::Relaxed).unwrap();
drop(stream);
capture.end().unwrap();

//# capture_sent: E0277 cannot be sent between threads safely
let stream: &'static Stream = Box::leak(Box::new(Stream::new().unwrap()));
let capture = stream.capture(CaptureMode::ThreadLocal).unwrap();
std::thread::spawn(move || capture.end());

//# capture_unused: unused `Capture` that must be used
stream.capture(CaptureMode::Global).unwrap();

//# captured_function_borrows: E0597 does not live long enough
let text = String::from("gone when a launch prints it");
let borrowed = &text;
let capture = stream.capture(CaptureMode::Relaxed).unwrap();
capture.launch_host(&stream, move || println!("{borrowed}")).unwrap();

//# captured_graph_outlives_its_capture: E0505 cannot move out of `capture` because it is borrowed
let capture = stream.capture(CaptureMode::Relaxed).unwrap();
let graph = capture.graph().unwrap();
capture.end().unwrap();
graph.add_empty(&[]).unwrap();

//# changed_function_borrows: E0597 does not live long enough
fn change(exec: &GraphExec, node: Node) {
    let text = String::from("gone when a launch prints it");
    let borrowed = &text;
    exec.set_host(node, move || println!("{borrowed}")).unwrap();
}
let _ = change;

//# copy_without_unsafe: E0133 call to unsafe function
let mut byte = 0_u8;
stream.memcpy((&raw mut byte).cast(), (&raw const byte).cast(), 1).unwrap();

//# current_escapes: lifetime may not live long enough
let escaped = Stream::with_current(Device::CURRENT, |stream| stream).unwrap();
escaped.query().unwrap();

//# deferred_function_borrows: E0597 does not live long enough
let buffer = HostBuffer::new(8).unwrap();
let borrowed = &buffer;
stream.defer(move || println!("{borrowed:?}")).unwrap();

//# descriptor_outlives_its_queue: E0505 cannot move out of `queue` because it is borrowed
let queue = CompletionQueue::new(8).unwrap();
let fd = queue.fd().unwrap();
drop(queue);
println!("{fd:?}");

//# device_guard_sent: E0277 cannot be sent between threads safely
let guard = DeviceGuard::new(Device::CURRENT).unwrap();
std::thread::spawn(move || drop(guard));

//# device_reset_without_unsafe: E0133 call to unsafe function
// Its context may have pinned memory that safe code still reads.
let _ = Device::CURRENT.reset();

//# entries_outlive_their_room: E0499 cannot borrow `room` as mutable more than once
let queue = CompletionQueue::new(8).unwrap();
let mut room = [Completion::EMPTY; 4];
let entries = queue.poll(&mut room).unwrap();
queue.poll(&mut room).unwrap();
println!("{entries:?}");

//# event_of_a_copy: E0599 no method named `event`
let (stream, idle) = (Stream::new()?, Stream::new()?);
let pending = DeviceBuffer::new(&stream, 8)?.read(HostBuffer::new(8)?)?;
// Recorded again, it would be done before the copy, and the buffers would be returned too early.
pending.event().record(&idle)?;

//# fine
// This must compile: every type that may cross threads does.
fn crosses_threads<T: Send + Sync>() {}
crosses_threads::<Stream>();
crosses_threads::<&StreamRef>();
crosses_threads::<BorrowedStream<'_>>();
crosses_threads::<Event>();
crosses_threads::<Device>();
crosses_threads::<Error>();
crosses_threads::<IpcHandle>();
crosses_threads::<HostBuffer>();
crosses_threads::<DeviceBuffer>();
crosses_threads::<(HostBuffer<f32>, DeviceBuffer<[u16; 3]>)>();
crosses_threads::<(DeviceSlice<'_, f32>, DeviceSliceMut<'_, f32>)>();
crosses_threads::<Pending<(DeviceBuffer, HostBuffer)>>();
crosses_threads::<PendingFuture<(DeviceBuffer, HostBuffer)>>();
crosses_threads::<Module>();
crosses_threads::<Kernel<'_>>();
crosses_threads::<Finished>();
crosses_threads::<(CompletionQueue, QueueFd, Completion)>();
crosses_threads::<Graph>();
crosses_threads::<&GraphRef>();
crosses_threads::<BorrowedGraph<'_>>();
crosses_threads::<Condition<'_>>();
crosses_threads::<GraphExec>();
crosses_threads::<(Node, NodeInfo, GraphUpdate, CaptureInfo)>();

//# graph_function_borrows: E0597 does not live long enough
let text = String::from("gone when a launch prints it");
let borrowed = &text;
graph.add_host(&[], move || println!("{borrowed}")).unwrap();

//# graph_function_changes_itself: E0594 cannot assign to
let mut calls = 0;
graph.add_host(&[], move || calls += 1).unwrap();

//# graph_function_not_sync: E0277 cannot be shared between threads safely
let calls = std::cell::Cell::new(0); // launches of two executables may call at the same time
graph.add_host(&[], move || calls.set(calls.get() + 1)).unwrap();

//# guard_sent: E0277 cannot be sent between threads safely
let guard = StreamGuard::new(&stream).unwrap();
std::thread::spawn(move || drop(guard));

//# guard_shared: E0277 cannot be shared between threads safely
let guard = StreamGuard::new(&stream).unwrap();
std::thread::scope(|scope| _ = scope.spawn(|| println!("{guard:?}")));

//# guard_unused: StreamGuard` that must be used
StreamGuard::new(&stream)?;

//# host_function_without_unsafe: E0133 call to unsafe function
Stream::new().unwrap().launch_host(|| ()).unwrap();

//# kept_value_borrows: E0597 does not live long enough
let buffer = HostBuffer::new(8).unwrap();
graph.keep(&buffer).unwrap();

//# kept_value_not_send: E0277 cannot be sent between threads safely
graph.keep(std::rc::Rc::new(7)).unwrap();

//# kernel_outlives_its_module: E0505 cannot move out of `module` because it is borrowed
let module = unsafe { Module::load_file(Device::CURRENT, "kernels.so") }.unwrap();
let kernel = module.kernel("kernel").unwrap();
drop(module);
println!("{kernel:?}");

//# launch_of_a_graph_without_unsafe: E0133 call to unsafe function
let exec = graph.instantiate(InstantiateFlags::empty()).unwrap();
exec.launch(CURRENT).unwrap();

//# notification_borrows: E0373 may outlive the current function
let mut count = 0;
Stream::new().unwrap().notify(|_| count += 1).unwrap();
println!("{count}");

//# notification_not_send: E0277 cannot be sent between threads safely
let local = std::rc::Rc::new(1);
Stream::new().unwrap().notify(move |_| drop(local)).unwrap();

//# part_copied_onto_itself: E0502 cannot borrow `device` as immutable because it is also borrowed as mutable
let mut device = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
device.slice_mut(..4).unwrap().copy_from(device.slice(2..6).unwrap()).unwrap();

//# part_host_freed_while_read: E0382 use of moved value: `host`
let device = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
let host = HostBuffer::<f32>::zeroed(4).unwrap();
let _pending = device.slice(..4).unwrap().read(host).unwrap();
host.free().unwrap();

//# part_host_used_while_written: E0382 borrow of moved value: `host`
let mut device = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
let mut host = HostBuffer::<f32>::zeroed(4).unwrap();
let _pending = device.slice_mut(..4).unwrap().write(host).unwrap();
host[0] = 1.0;

//# part_of_another_type: E0308 mismatched types
let mut device = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
let host = HostBuffer::<u32>::zeroed(8).unwrap();
device.slice_mut(..).unwrap().write(host).unwrap();

//# part_outlives_its_buffer: E0505 cannot move out of `device` because it is borrowed
let device = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
let part = device.slice(..4).unwrap();
drop(device);
println!("{part:?}");

//# part_written_twice: E0499 cannot borrow `device` as mutable more than once at a time
let mut device = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
let mut one = device.slice_mut(..4).unwrap();
let mut other = device.slice_mut(2..).unwrap();
one.fill_bytes(0).unwrap();
other.fill_bytes(0).unwrap();

//# part_written_while_shared: E0599 no method named `fill_bytes`
let device = DeviceBuffer::<f32>::zeroed(&stream, 8).unwrap();
device.slice(..).unwrap().fill_bytes(0).unwrap();

//# plain_without_unsafe: E0200 requires an `unsafe impl` declaration
#[derive(Clone, Copy)]
struct Mine(u32);
impl Plain for Mine {}

//# raw_graph_without_unsafe: E0133 call to unsafe function
Graph::from_raw(Device::CURRENT, std::ptr::null_mut()).unwrap();

//# raw_stream_without_unsafe: E0133 call to unsafe function
let _ = BorrowedStream::from_raw(Device::CURRENT, std::ptr::null_mut());
