// SPDX-License-Identifier: Apache-2.0
//! Owners that end at a moment at which they may not: while their stream is captured, and in a host function.

mod support;

use std::ptr;

use gpustream::{CaptureMode, DeviceBuffer, Event, HostBuffer, Status, Stream};
use gpustream_sys as sys;
use support::{Held, status, until};

/// A pool that is current on the calling thread: what other tests allocate is not counted.
struct OwnPool(sys::gs_pool_t);

impl OwnPool {
    fn new() -> Self {
        let (api, mut pool) = (sys::api().unwrap(), ptr::null_mut());
        // SAFETY: the output is a local variable.
        let made = unsafe { api.gs_pool_create(sys::GS_DEVICE_CURRENT, ptr::null(), &raw mut pool) };
        // SAFETY: takes a handle.
        let current = unsafe { api.gs_set_current_pool(pool) };
        assert_eq!((made.unwrap(), current.unwrap()), (sys::GS_OK, sys::GS_OK));
        Self(pool)
    }

    fn blocks(&self) -> u64 {
        let mut stats = sys::gs_pool_stats_t::default();
        // SAFETY: the output is a local variable.
        let status = unsafe { sys::api().unwrap().gs_pool_get_stats(self.0, &raw mut stats) };
        assert_eq!(status.unwrap(), sys::GS_OK);
        stats.blocks
    }
}

#[test]
fn a_buffer_is_freed_after_the_capture() {
    let pool = OwnPool::new();
    let stream = Stream::new().unwrap();
    for round in 0..50 {
        let buffer = DeviceBuffer::<u8>::new(&stream, 4096).unwrap();
        let capture = stream.capture(CaptureMode::Relaxed).unwrap();
        drop(buffer);
        assert_eq!(stream.is_capturing(), Ok(true));
        if round % 2 == 0 {
            drop(capture.end().unwrap());
        }
    }
    gpustream::trim().unwrap();
    until(|| pool.blocks() == 0);
}

#[test]
fn what_a_copy_uses_lives_as_long_as_the_copy() {
    let pool = OwnPool::new();
    let held = Held::current();
    let buffer = DeviceBuffer::<u8>::zeroed(&held.stream, 8).unwrap();
    let pending = buffer.write(HostBuffer::from_slice(&[1; 8]).unwrap()).unwrap();
    let capture = held.stream.capture(CaptureMode::Relaxed).unwrap();
    drop(pending);
    drop(capture); // the graph ends before the copy
    gpustream::trim().unwrap();
    for _ in 0..100 {
        std::thread::yield_now();
        assert_eq!(pool.blocks(), 1);
    }
    held.gate.open();
    held.stream.synchronize().unwrap();
    gpustream::trim().unwrap();
    until(|| pool.blocks() == 0);
}

#[test]
fn what_a_host_function_drops_ends_elsewhere() {
    let pool = OwnPool::new();
    let (stream, owned, event) = (Stream::new().unwrap(), Stream::new().unwrap(), Event::new().unwrap());
    let buffers = [0, 64].map(|bytes| DeviceBuffer::new(&stream, bytes).unwrap());
    let shared = DeviceBuffer::new(&stream, 64).unwrap();
    shared.record_stream(&owned).unwrap();
    let (triple, handle) = (owned.pack().unwrap(), event.as_handle());
    assert_eq!(pool.blocks(), 2);
    // SAFETY: the function calls nothing but the drops.
    unsafe { stream.launch_host(move || drop((owned, event, buffers, shared))) }.unwrap();
    // SAFETY: the stream is one of gpustream's own.
    until(|| status(unsafe { Stream::unpack(triple) }) == Status::INVALID_HANDLE);
    until(|| pool.blocks() == 0);
    let mut id = 0;
    // SAFETY: a stale handle is refused, and the output is a local variable.
    until(|| unsafe { sys::api().unwrap().gs_event_id(handle, &raw mut id) } == Ok(sys::GS_ERROR_INVALID_HANDLE));
}
