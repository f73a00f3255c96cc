// SPDX-License-Identifier: Apache-2.0
//! The streams in which buffers are used.

mod support;

use std::thread;
use std::time::Duration;

use gpustream::{CaptureMode, Device, DeviceBuffer, HostBuffer, InstantiateFlags, Status, Stream};
use support::{Held, current_stream, launch, status};

#[test]
fn work_goes_to_the_current_stream_or_the_one_that_is_named() {
    let (own, named, held) = (Stream::new().unwrap(), Stream::new().unwrap(), Held::new());
    let mut buffer = DeviceBuffer::<u8>::zeroed(&own, 8).unwrap();
    let other = DeviceBuffer::from_slice(&own, &[1_u8; 4]).unwrap();
    own.synchronize().unwrap();
    let submitted = held.stream.with(|| {
        buffer.slice_mut(..4)?.fill_bytes(2)?;
        buffer.slice_mut(4..)?.copy_from(other.slice(..)?)?;
        buffer.slice_mut(..1)?.write(HostBuffer::from_slice(&[9])?)
    });
    assert_eq!(submitted.unwrap().unwrap().query(), Ok(false));
    buffer.slice_mut(..).unwrap().on(&named).fill_bytes(3).unwrap();
    assert_eq!(buffer.slice(..).unwrap().on(&named).to_vec().unwrap(), [3; 8], "the held stream is not waited for");
    held.gate.open();
    assert_eq!(held.stream.with(|| buffer.to_vec()).unwrap().unwrap(), [9, 2, 2, 2, 1, 1, 1, 1]);
}

#[test]
fn the_device_of_the_buffer_says_which_stream_is_current() {
    let there = Held::on(Stream::builder().device(Device::new(1)).build().unwrap());
    let mut buffer = DeviceBuffer::<u8>::zeroed(&there.stream, 8).unwrap();
    there.stream.set_current().unwrap();
    let here = Stream::builder().device(Device::new(0)).build().unwrap();
    here.set_current().unwrap();
    let pending = buffer.slice_mut(..).unwrap().write(HostBuffer::from_slice(&[1; 8]).unwrap()).unwrap();
    assert_eq!((here.query(), pending.query()), (Ok(true), Ok(false)));
}

#[test]
fn the_first_use_elsewhere_waits_for_the_allocation() {
    let (held, other) = (Held::new(), Stream::new().unwrap());
    let mut buffer = DeviceBuffer::from_slice(&held.stream, &[4_u8; 8]).unwrap();
    buffer.slice_mut(..2).unwrap().on(&other).fill_bytes(1).unwrap();
    assert_eq!(other.query(), Ok(false));
    held.gate.open();
    assert_eq!(buffer.slice(..).unwrap().on(&other).to_vec().unwrap(), [1, 1, 4, 4, 4, 4, 4, 4]);
    let again = Held::on(held.stream.clone());
    for stream in [other, Stream::new().unwrap()] {
        buffer.slice_mut(..).unwrap().on(&stream).fill_bytes(2).unwrap(); // the allocation is known to be done
        stream.synchronize().unwrap();
    }
    assert_eq!(again.stream.query(), Ok(false));
}

/// By a method, and by `record_stream`.
#[test]
fn memory_is_freed_behind_all_streams_that_use_it() {
    for by_address in [false, true] {
        let (own, user) = (Stream::new().unwrap(), Held::new());
        let source = DeviceBuffer::from_slice(&own, &[7_u8; 64]).unwrap();
        let mut target = DeviceBuffer::<u8>::zeroed(&user.stream, 64).unwrap();
        own.synchronize().unwrap();
        let address = source.as_ptr();
        if by_address {
            source.record_stream(&user.stream).unwrap();
            // SAFETY: both have that length, and are freed behind this stream.
            unsafe { user.stream.memcpy(target.as_ptr(), address, 64) }.unwrap();
        } else {
            target.slice_mut(..).unwrap().on(&user.stream).copy_from(source.slice(..).unwrap()).unwrap();
        }
        drop(source);
        // At once, in the order of the other stream.
        let mut next = DeviceBuffer::<u8>::zeroed(&own, 64).unwrap();
        assert_ne!(next.as_ptr(), address);
        next.slice_mut(..).unwrap().on(&own).fill_bytes(9).unwrap();
        own.synchronize().unwrap();
        user.gate.open();
        assert_eq!(target.slice(..).unwrap().on(&user.stream).to_vec().unwrap(), [7; 64]);
    }
}

#[test]
fn a_capture_records_fills_and_copies() {
    let (held, stream) = (Held::new(), current_stream());
    let mut buffer = DeviceBuffer::from_slice(&held.stream, &[1_u8; 8]).unwrap();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    let gate = held.gate.clone();
    let opener = thread::spawn(move || {
        thread::sleep(Duration::from_millis(50));
        gate.open();
    });
    buffer.slice_mut(..4).unwrap().fill_bytes(5).unwrap(); // the host waits for the allocation, which no graph can
    assert!(held.gate.is_open());
    opener.join().unwrap();
    let mut whole = buffer.slice_mut(..).unwrap();
    let (left, mut right) = whole.split_at_mut(4).unwrap();
    right.copy_from(left.as_slice()).unwrap();
    let graph = capture.end().unwrap();
    assert_eq!(buffer.slice(..).unwrap().on(&held.stream).to_vec().unwrap(), [1; 8]);
    launch(&graph.instantiate(InstantiateFlags::empty()).unwrap(), &stream);
    assert_eq!(buffer.to_vec().unwrap(), [5; 8]);
}

#[test]
fn what_a_capture_cannot_do_is_refused() {
    let (stream, outside) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut buffer = DeviceBuffer::<u8>::zeroed(&stream, 8).unwrap();
    let mut known = DeviceBuffer::<u8>::zeroed(&stream, 8).unwrap();
    known.slice_mut(..).unwrap().on(&outside).fill_bytes(1).unwrap();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    let mut whole = buffer.slice_mut(..).unwrap().on(&stream);
    assert_eq!(status(whole.write(HostBuffer::new(8).unwrap())), Status::CAPTURING);
    assert_eq!(status(whole.as_slice().to_vec()), Status::CAPTURING);
    assert_eq!(status(DeviceBuffer::from_slice(&stream, &[1])), Status::CAPTURING);
    let error = buffer.slice_mut(..).unwrap().on(&outside).fill_bytes(2).unwrap_err();
    assert!(error.message().contains("use the buffer there before"), "{error}");
    assert_eq!(known.slice(..).unwrap().on(&outside).to_vec().unwrap(), [1; 8]);
    drop(capture);
    assert_eq!(buffer.slice(..).unwrap().on(&outside).to_vec().unwrap(), [0; 8]);
}

/// It is another stream on each thread, so the free on this one has to wait for what another thread has put there.
#[test]
fn a_per_thread_stream_may_use_a_buffer() {
    let own = Stream::new().unwrap();
    let source = DeviceBuffer::from_slice(&own, &[7_u8; 64]).unwrap();
    own.synchronize().unwrap();
    let address = source.as_ptr().addr();
    let user = thread::spawn(move || {
        let held = Held::on(Stream::per_thread(Device::CURRENT).unwrap());
        let read = source.slice(..).unwrap().on(&held.stream).read(HostBuffer::zeroed(64).unwrap()).unwrap();
        (held, source, read)
    });
    let (held, source, read) = user.join().unwrap();
    drop(source);
    let taken: Vec<_> = (0..4).map(|_| DeviceBuffer::<u8>::zeroed(&own, 64).unwrap()).collect();
    own.synchronize().unwrap();
    assert!(taken.iter().all(|buffer| buffer.as_ptr().addr() != address));
    held.gate.open();
    assert_eq!(*read.wait().unwrap(), [7; 64]);
}

#[test]
fn streams_that_are_done_are_forgotten() {
    let own = Stream::new().unwrap();
    let mut buffer = DeviceBuffer::<u8>::zeroed(&own, 8).unwrap();
    let mut first = None;
    for _ in 0..17 {
        let stream = Stream::new().unwrap();
        buffer.slice_mut(..).unwrap().on(&stream).fill_bytes(1).unwrap();
        stream.synchronize().unwrap();
        first.get_or_insert(stream.pack().unwrap());
    }
    // SAFETY: the stream is one of gpustream's own.
    assert_eq!(status(unsafe { Stream::unpack(first.unwrap()) }), Status::INVALID_HANDLE);
}
