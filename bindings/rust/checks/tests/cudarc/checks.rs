// SPDX-License-Identifier: Apache-2.0
//! The checks. Bytes are 1 before the producer has run and 7 afterwards.

use std::env;
use std::ffi::c_void;
use std::path::Path;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaStream, result, sys};
use gpustream::{BorrowedStream, Device, Event, HostBuffer, Stream, StreamRef};
use gpustream_checks::DRIVER;

use crate::support::Held;

pub const ALL: [(&str, fn()); 4] = [
    ("same_driver_and_context", same_driver_and_context),
    ("our_event_orders_cudarc_work", our_event_orders_cudarc_work),
    ("cudarc_waits_for_our_raw_event", cudarc_waits_for_our_raw_event),
    ("both_submit_to_one_stream", both_submit_to_one_stream),
];

pub const SIZE: usize = 1 << 16;

pub fn context() -> Arc<CudaContext> {
    CudaContext::new(0).unwrap()
}

pub fn raw(stream: &StreamRef) -> sys::CUstream {
    stream.as_raw_stream().unwrap().cast()
}

/// cudarc's view of one of our streams.
fn to_cudarc(context: &Arc<CudaContext>, stream: &StreamRef) -> Arc<CudaStream> {
    // SAFETY: every caller keeps the stream until the wrapper is gone.
    unsafe { context.wrap_borrowed_stream(raw(stream)) }
}

/// Our view of one of cudarc's.
fn from_cudarc(stream: &CudaStream) -> BorrowedStream<'_> {
    // SAFETY: the borrow keeps it alive, and it is never made current.
    unsafe { BorrowedStream::from_raw(Device::new(0), stream.cu_stream().cast()) }.unwrap()
}

pub fn memory(stream: &StreamRef) -> *mut c_void {
    let pointer = stream.malloc(SIZE).unwrap();
    // SAFETY: new memory, used in the stream's order.
    unsafe { stream.memset(pointer, 1, SIZE) }.unwrap();
    stream.synchronize().unwrap();
    pointer
}

pub fn fill_by_cudarc(pointer: *mut c_void, stream: &CudaStream) {
    stream.context().bind_to_thread().unwrap();
    // SAFETY: memory of that size that lives until the stream is synchronized.
    unsafe { result::memset_d8_async(pointer.addr() as u64, 7, SIZE, stream.cu_stream()) }.unwrap();
}

/// # Safety
///
/// Both ranges live until the stream is synchronized.
unsafe fn read_by_cudarc(host: &mut HostBuffer, pointer: *mut c_void, stream: &CudaStream) {
    let to = host.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: the caller's obligation.
    unsafe { sys::cuMemcpyAsync(to, pointer.addr() as u64, host.len(), stream.cu_stream()) }.result().unwrap();
}

#[track_caller]
pub fn assert_seven(bytes: &[u8]) {
    assert!(bytes.iter().all(|&byte| byte == 7), "the reader came before the writer");
}

/// What `pointer` holds after the present work of a stream, which frees the memory.
pub fn assert_seven_at(pointer: *mut c_void, stream: &StreamRef) {
    let mut host = HostBuffer::new(SIZE).unwrap();
    // SAFETY: both ranges live until the synchronization.
    unsafe {
        stream.memcpy(host.as_mut_ptr().cast(), pointer, SIZE).unwrap();
        stream.free(pointer).unwrap();
    }
    stream.synchronize().unwrap();
    assert_seven(&host);
}

fn same_driver_and_context() {
    let context = context();
    let info = Device::new(0).info().unwrap();
    assert_eq!(info.name, context.name().unwrap());
    let stream = Stream::builder().device(Device::new(0)).build().unwrap();
    stream
        .with(|| {
            let mut current = std::ptr::null_mut();
            // SAFETY: the output is a local variable.
            unsafe { sys::cuCtxGetCurrent(&raw mut current) }.result().unwrap();
            assert_eq!(current, context.cu_ctx(), "both use the primary context");
        })
        .unwrap();
    if env::var(DRIVER).as_deref() == Ok("fake-started") {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let files: Vec<&str> = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).collect();
        let mut drivers: Vec<_> = files.into_iter().filter(|file| file.contains("libcuda.so")).collect();
        drivers.dedup();
        assert_eq!(drivers.len(), 1, "cudarc and gpustream loaded different drivers: {drivers:?}");
        assert!(Path::new(drivers[0]).components().any(|part| part.as_os_str() == "fake_cuda"), "{drivers:?}");
    }
}

/// cudarc submits to a stream of ours; an event of ours, recorded after its work, orders another stream.
fn our_event_orders_cudarc_work() {
    let context = context();
    let (producer, consumer, done) = (Stream::new().unwrap(), Stream::new().unwrap(), Event::new().unwrap());
    let pointer = memory(&producer);
    // Allocated before a gate holds anything: to map memory, the driver may wait for device work.
    let mut host = HostBuffer::new(SIZE).unwrap();
    let held = Held::on(producer.clone());
    fill_by_cudarc(pointer, &to_cudarc(&context, &producer));
    done.record(&producer).unwrap();
    consumer.wait_event(&done).unwrap();
    // SAFETY: both ranges live until the synchronization.
    unsafe { consumer.memcpy(host.as_mut_ptr().cast(), pointer, SIZE) }.unwrap();
    assert_eq!((done.query(), consumer.query()), (Ok(false), Ok(false)));
    held.gate.open();
    consumer.synchronize().unwrap();
    assert_seven(&host);
    // SAFETY: all work that uses it is done.
    unsafe { consumer.free(pointer) }.unwrap();
}

fn cudarc_waits_for_our_raw_event() {
    let context = context();
    let (producer, done) = (Stream::new().unwrap(), Event::new().unwrap());
    let consumer = context.new_stream().unwrap();
    let pointer = memory(&producer);
    // Allocated before a gate holds anything: to map memory, the driver may wait for device work.
    let mut host = HostBuffer::new(SIZE).unwrap();
    let held = Held::on(producer.clone());
    // SAFETY: the memory lives until both streams are synchronized.
    unsafe { producer.memset(pointer, 7, SIZE) }.unwrap();
    done.record(&producer).unwrap();
    let event = done.as_raw_event().unwrap().cast();
    let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
    context.bind_to_thread().unwrap();
    // SAFETY: our event is alive; both ranges live until the synchronization.
    unsafe {
        result::stream::wait_event(consumer.cu_stream(), event, flags).unwrap();
        read_by_cudarc(&mut host, pointer, &consumer);
    }
    held.gate.open();
    consumer.synchronize().unwrap();
    assert_seven(&host);
    // SAFETY: all work that uses it is done.
    unsafe { producer.free(pointer) }.unwrap();
}

/// One raw stream with work and events of both libraries in turn.
fn both_submit_to_one_stream() {
    let context = context();
    let stream = Stream::new().unwrap();
    let theirs = to_cudarc(&context, &stream);
    let pointer = memory(&stream);
    let held = Held::on(stream.clone());
    let ours = Event::new().unwrap();
    fill_by_cudarc(pointer, &theirs);
    ours.record(&stream).unwrap();
    let cudarc_event = theirs.record_event(None).unwrap();
    assert_eq!((ours.query(), cudarc_event.try_is_complete(), stream.query()), (Ok(false), Ok(false), Ok(false)));
    held.gate.open();
    theirs.synchronize().unwrap();
    assert_eq!((ours.query(), cudarc_event.try_is_complete(), stream.query()), (Ok(true), Ok(true), Ok(true)));
    assert_eq!(*from_cudarc(&theirs), *stream, "the raw handle is one of ours");
    assert_seven_at(pointer, &stream);
}
