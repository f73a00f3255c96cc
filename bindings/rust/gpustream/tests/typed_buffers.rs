// SPDX-License-Identifier: Apache-2.0
//! Buffers of elements and their parts.

mod support;

use gpustream::{Device, DeviceBuffer, HostBuffer, Status, Stream};
use support::{Held, current_stream, status, until};

#[test]
fn elements_go_to_the_device_and_back() {
    let stream = current_stream();
    let numbers: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.5).collect();
    let buffer = DeviceBuffer::from_slice(&stream, &numbers).unwrap();
    assert_eq!((buffer.len(), buffer.stream()), (1000, &stream));
    assert_eq!(buffer.to_vec().unwrap(), numbers);
    let (buffer, host) = buffer.read(HostBuffer::zeroed(3).unwrap()).unwrap().wait().unwrap();
    assert_eq!(*host, [0.0, 0.5, 1.0]);
    assert!(format!("{buffer:?} {host:?}").contains("8000 bytes"));
    host.free().unwrap();
    let (buffer, host) = buffer.write(HostBuffer::from_slice(&[7.0]).unwrap()).unwrap().wait().unwrap();
    assert_eq!((host[0], &buffer.to_vec().unwrap()[..2]), (7.0, &[7.0, 0.5][..]));
    let words = DeviceBuffer::<[u16; 3]>::zeroed(&stream, 4).unwrap();
    assert_eq!(words.to_vec().unwrap(), [[0; 3]; 4]);
}

#[test]
fn parts_are_written_and_read() {
    let stream = current_stream();
    let mut buffer = DeviceBuffer::from_slice(&stream, &[1_u32, 2, 3, 4, 5, 6]).unwrap();
    buffer.slice_mut(1..3).unwrap().fill_bytes(0xff).unwrap();
    let pending = buffer.slice_mut(4..).unwrap().write(HostBuffer::from_slice(&[50, 60]).unwrap()).unwrap();
    let read = buffer.slice(3..=4).unwrap().read(HostBuffer::zeroed(2).unwrap()).unwrap();
    assert_eq!(*read.wait().unwrap(), [4, 50]);
    assert_eq!(*pending.wait().unwrap(), [50, 60]);
    assert_eq!(buffer.to_vec().unwrap(), [1, u32::MAX, u32::MAX, 4, 50, 60]);
    let part = buffer.slice(2..).unwrap().slice(1..3).unwrap();
    assert_eq!((part.len(), part.is_empty()), (2, false));
    assert_eq!(part.as_ptr() as usize - buffer.as_ptr() as usize, 12);
    assert_eq!(part.to_vec().unwrap(), [4, 50]);
    assert!(format!("{part:?}").contains("2 elements"));
    let mut whole = buffer.slice_mut(..).unwrap();
    let (mut left, right) = whole.split_at_mut(3).unwrap();
    left.copy_from(right.as_slice()).unwrap();
    assert_eq!((right.len(), left.is_empty()), (3, false));
    assert_eq!(whole.slice_mut(..2).unwrap().as_slice().to_vec().unwrap(), [4, 50]);
    assert_eq!(buffer.to_vec().unwrap(), [4, 50, 60, 4, 50, 60]);
}

#[test]
fn empty_parts_do_nothing() {
    let stream = current_stream();
    let mut buffer = DeviceBuffer::from_slice(&stream, &[7_u8; 4]).unwrap();
    let other = DeviceBuffer::from_slice(&stream, &[8_u8; 4]).unwrap();
    assert!(buffer.slice(4..).unwrap().is_empty());
    assert!(buffer.slice(2..2).unwrap().to_vec().unwrap().is_empty());
    buffer.slice_mut(4..).unwrap().fill_bytes(1).unwrap();
    buffer.slice_mut(1..1).unwrap().copy_from(other.slice(..0).unwrap()).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), [7; 4]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let stream = current_stream();
    let mut buffer = DeviceBuffer::<u16>::zeroed(&stream, 4).unwrap();
    let other = DeviceBuffer::<u16>::zeroed(&stream, 4).unwrap();
    assert_eq!(status(buffer.slice(3..5)), Status::INVALID_ARGUMENT);
    assert_eq!(status(buffer.slice_mut(5..)), Status::INVALID_ARGUMENT);
    let mut part = buffer.slice_mut(..2).unwrap();
    assert_eq!(status(part.split_at_mut(3)), Status::INVALID_ARGUMENT);
    assert_eq!(status(part.slice_mut(..3)), Status::INVALID_ARGUMENT);
    assert_eq!(status(part.copy_from(other.slice(..).unwrap())), Status::INVALID_ARGUMENT);
    let error = part.write(HostBuffer::zeroed(3).unwrap()).unwrap_err();
    assert!(error.message().contains("3 elements"), "{error}");
    assert_eq!(status(part.as_slice().read(HostBuffer::zeroed(3).unwrap())), Status::INVALID_ARGUMENT);
    assert_eq!(status(DeviceBuffer::<u64>::zeroed(&stream, usize::MAX / 8 + 1)), Status::INVALID_ARGUMENT);
    assert_eq!(status(HostBuffer::<u64>::zeroed(usize::MAX / 8 + 1)), Status::INVALID_ARGUMENT);
    let per_thread = Stream::per_thread(Device::CURRENT).unwrap();
    assert_eq!(status(DeviceBuffer::from_slice(&per_thread, &[1])), Status::INVALID_ARGUMENT);
}

/// The elements are the caller's again at once, and the pinned memory between is freed after the copy.
#[test]
fn from_slice_does_not_wait() {
    let held = Held::current();
    let mut numbers = vec![1_u32; 1 << 12];
    let buffer = DeviceBuffer::from_slice(&held.stream, &numbers).unwrap();
    numbers.fill(2);
    drop(numbers);
    assert_eq!(held.stream.query(), Ok(false));
    held.gate.open();
    assert_eq!(buffer.to_vec().unwrap(), vec![1; 1 << 12]);
}

/// The host buffer belongs to the copy although the device buffer stays with the caller, and even if that is dropped.
#[test]
fn host_memory_of_a_dropped_copy_lives_on() {
    let held = Held::current();
    let mut target = DeviceBuffer::<u8>::zeroed(&held.stream, 1 << 16).unwrap();
    let pending = target.slice_mut(..).unwrap().write(HostBuffer::from_slice(&[9; 1 << 16]).unwrap()).unwrap();
    assert_eq!(pending.query(), Ok(false));
    drop(pending); // neither waits nor frees
    let copy = target.slice(..).unwrap().read(HostBuffer::zeroed(1 << 16).unwrap()).unwrap();
    drop(target); // freed after both copies
    held.gate.open();
    assert!(copy.wait().unwrap().iter().all(|&byte| byte == 9));
}

#[test]
fn parts_cross_threads() {
    let stream = current_stream();
    let mut buffer = DeviceBuffer::<u8>::zeroed(&stream, 8).unwrap();
    let mut whole = buffer.slice_mut(..).unwrap();
    let (mut left, mut right) = whole.split_at_mut(4).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| left.fill_bytes(1).unwrap());
        scope.spawn(|| right.fill_bytes(2).unwrap());
    });
    assert_eq!(buffer.to_vec().unwrap(), [1, 1, 1, 1, 2, 2, 2, 2]);
}

/// Freed in stream order: the next buffer of that size takes the memory at once.
#[test]
fn dropped_buffers_come_back_to_their_stream() {
    let held = Held::current();
    let first = DeviceBuffer::<u8>::zeroed(&held.stream, 4096).unwrap();
    let address = first.as_ptr();
    drop(first);
    assert_eq!(held.stream.query(), Ok(false));
    let second = DeviceBuffer::<u8>::zeroed(&held.stream, 4096).unwrap();
    assert_eq!(second.as_ptr(), address);
    held.gate.open();
    until(|| held.stream.query() == Ok(true));
}
