// SPDX-License-Identifier: Apache-2.0
//! Partitions: what they have, their flags and ends, and that their streams outlive them.

mod support;

use std::collections::HashSet;

use gpustream::{Backend, Device, Partition, PartitionFlags, Status, Stream, StreamFlags};
use support::{status, until};

const NONE: PartitionFlags = PartitionFlags::empty();

#[track_caller]
fn part() -> Partition {
    Partition::create(Device::CURRENT, &[1], NONE).unwrap().remove(0)
}

#[track_caller]
fn stream_in(part: &Partition) -> Stream {
    part.stream(0, StreamFlags::empty()).unwrap()
}

#[test]
fn numbers_are_true() {
    let part = part();
    let info = part.info().unwrap();
    assert_eq!((info.device, info.requested_sm_count), (Device::current().unwrap(), 1));
    assert!(info.unit_sm_count >= 1 && info.sm_count <= info.device_sm_count);
    assert_eq!(info.sm_count, info.unit_sm_count, "rounded up");
    let on_host = info.device.info().unwrap().backend == Some(Backend::Host);
    assert_eq!(info.native == 0, on_host);
    let (one, two) = (stream_in(&part), stream_in(&part));
    assert_eq!(part.info().unwrap().streams, 2);
    assert_eq!(HashSet::from([&part, &self::part()]).len(), 2);
    drop((one, two));
    assert_eq!(part.info(), Ok(info));
}

#[test]
fn their_streams_have_priorities_and_stay_the_librarys() {
    let part = part();
    let highest = part.info().unwrap().device.priority_range().unwrap().greatest;
    let stream = part.stream(i32::MIN, StreamFlags::DEDICATED).unwrap();
    assert_eq!((stream.priority(), stream.device()), (Ok(highest), part.info().map(|info| info.device)));
    assert_eq!(status(stream.into_raw()), Status::NOT_SUPPORTED, "the driver's partition would have to stay");
}

#[test]
fn flags_have_numbers() {
    let flags = (PartitionFlags::COSCHEDULED * 4) | PartitionFlags::QUEUES;
    assert_eq!(flags.bits(), 4 * PartitionFlags::COSCHEDULED.bits() + PartitionFlags::QUEUES.bits());
    let too_many = PartitionFlags::CONCURRENCY * u32::MAX;
    assert_eq!(status(Partition::create(Device::CURRENT, &[1], too_many)), Status::INVALID_ARGUMENT);
}

#[test]
fn handle_goes_and_comes_and_a_stale_one_is_refused() {
    let raw = part().into_handle();
    // SAFETY: what `into_handle` has given away.
    let part = unsafe { Partition::from_handle(raw) };
    assert!(part.as_handle() == raw && format!("{part:?}").contains("handle"));
    let stream = stream_in(&part);
    drop(part);
    // SAFETY: a stale handle is checked. Its drop has no effect.
    let stale = unsafe { Partition::from_handle(raw) };
    assert_eq!(status(stale.info()), Status::INVALID_HANDLE);
    assert_eq!(status(stale.stream(0, StreamFlags::empty())), Status::INVALID_HANDLE);
    drop(stale);
    stream.synchronize().unwrap();
}

/// A host function must not call the device, so the partition ends elsewhere, but it ends.
#[test]
fn host_function_may_drop_the_last_owner() {
    let part = part();
    let (raw, stream) = (part.as_handle(), Stream::new().unwrap());
    // SAFETY: the function leaves devices alone and waits for nothing.
    unsafe { stream.launch_host(move || drop(part)) }.unwrap();
    stream.synchronize().unwrap();
    // SAFETY: a handle that may be stale is checked, and the object is not dropped.
    let watched = std::mem::ManuallyDrop::new(unsafe { Partition::from_handle(raw) });
    until(|| watched.info().is_err_and(|error| error.status() == Status::INVALID_HANDLE));
}
