// SPDX-License-Identifier: Apache-2.0
//! Buffers and pending copies that end while their stream is captured.

mod support;

use std::ptr;

use gpustream::{CaptureMode, DeviceBuffer, HostBuffer, Stream};
use gpustream_sys as sys;
use support::{Held, until};

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
