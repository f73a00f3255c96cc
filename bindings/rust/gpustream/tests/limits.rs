// SPDX-License-Identifier: Apache-2.0
//! Blocking waits with a limit, for several events, and wait modes.

mod support;

use std::time::Duration;

use gpustream::{Device, Event, Status, Stream, WaitMode, set_wait_mode, wait_mode};
use support::{Held, PATIENCE, status};

const SHORT: Duration = Duration::from_millis(1);

#[test]
fn limit_that_passes_changes_nothing() {
    let held = Held::new();
    let event = Event::new().unwrap();
    event.record(&held.stream).unwrap();
    let device = held.stream.device().unwrap();
    for limit in [Duration::ZERO, SHORT] {
        assert_eq!(status(held.stream.synchronize_for(limit)), Status::TIMEOUT);
        assert_eq!(status(event.synchronize_for(limit)), Status::TIMEOUT);
        assert_eq!(status(device.synchronize_for(limit)), Status::TIMEOUT);
    }
    held.gate.open();
    held.stream.synchronize_for(Duration::MAX).unwrap();
    event.synchronize_for(PATIENCE).unwrap();
    held.stream.synchronize_for(Duration::ZERO).unwrap();
    Event::new().unwrap().synchronize_for(Duration::ZERO).unwrap();
    Device::new(1).synchronize_for(PATIENCE).unwrap();
    assert_eq!(status(Device::new(99).synchronize_for(SHORT)), Status::INVALID_DEVICE);
}

#[test]
fn any_and_all_of_several_events() {
    let held = Held::new();
    let (open, shut, never) = (Event::new().unwrap(), Event::new().unwrap(), Event::new().unwrap());
    shut.record(&held.stream).unwrap();
    open.record(&Stream::builder().device(Device::new(1)).build().unwrap()).unwrap();
    assert_eq!(Event::synchronize_any(&[&shut, &open], Some(PATIENCE)), Ok(1));
    assert_eq!(Event::synchronize_any(&[&shut, &never, &open], None), Ok(1), "the first that is done");
    assert_eq!(status(Event::synchronize_any(&[&shut, &shut], Some(SHORT))), Status::TIMEOUT);
    assert_eq!(status(Event::synchronize_all(&[&open, &shut], Some(SHORT))), Status::TIMEOUT);
    assert_eq!(status(Event::synchronize_any::<Event>(&[], None)), Status::INVALID_ARGUMENT);
    Event::synchronize_all::<Event>(&[], None).unwrap();
    held.gate.open();
    let owned = [open, shut, never];
    Event::synchronize_all(&owned, None).unwrap();
    assert_eq!(Event::synchronize_any(&owned, Some(Duration::ZERO)), Ok(0));
    // SAFETY: takes a number; makes the handle stale.
    assert_eq!(unsafe { gpustream::sys::api().unwrap().gs_event_destroy(owned[1].as_handle()) }, Ok(0));
    assert_eq!(status(Event::synchronize_all(&owned, None)), Status::INVALID_HANDLE);
}

#[test]
fn every_mode_is_set() {
    let before = wait_mode().unwrap();
    for mode in [WaitMode::Spin, WaitMode::Block, WaitMode::Adaptive, WaitMode::Driver] {
        set_wait_mode(mode).unwrap();
        assert_eq!(wait_mode(), Ok(mode));
    }
    set_wait_mode(before).unwrap();
}
