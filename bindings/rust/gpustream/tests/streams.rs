// SPDX-License-Identifier: Apache-2.0
//! Streams: creating, naming, comparing, wrapping.

mod support;

use std::collections::HashSet;
use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gpustream::{
    Backend, BorrowedStream, CURRENT, Device, Event, PriorityLevel, Status, Stream, StreamFlags, StreamRef,
};
use support::status;

#[test]
fn builder_options_arrive() {
    let range = Device::new(1).priority_range().unwrap();
    let stream =
        Stream::builder().device(Device::new(1)).priority(-1000).blocking(true).dedicated(true).build().unwrap();
    assert_eq!(stream.device(), Ok(Device::new(1)));
    assert_eq!(stream.priority(), Ok(range.greatest), "clamped");
    let levels = [(PriorityLevel::High, range.greatest), (PriorityLevel::Normal, 0), (PriorityLevel::Low, range.least)];
    for (level, number) in levels {
        let stream = Stream::builder().device(Device::new(1)).priority_level(level).build().unwrap();
        assert_eq!(stream.priority(), Ok(number));
    }
    assert_eq!(stream.flags(), Ok(StreamFlags::BLOCKING | StreamFlags::DEDICATED));
    assert_eq!(stream.is_capturing(), Ok(false));
    assert!(stream.id().unwrap() >= 1 << 48);
}

#[test]
fn bad_options_are_refused() {
    assert_eq!(status(Stream::builder().shared(true).dedicated(true).build()), Status::INVALID_ARGUMENT);
    assert_eq!(status(Stream::builder().device(Device::from_raw(-2)).build()), Status::INVALID_DEVICE);
    let error = Stream::builder().device(Device::new(7)).build().unwrap_err();
    assert_eq!(error.function(), "gs_stream_create");
    assert!(error.to_string().contains("GS_ERROR_INVALID_DEVICE"), "{error}");
}

#[test]
fn errors_name_what_the_call_was_given() {
    let error = Stream::builder().device(Device::new(7)).build().unwrap_err();
    assert_eq!((error.stream_handle(), error.event_handle(), error.device()), (None, None, Some(Device::new(7))));
    let stream = Stream::builder().device(Device::new(1)).build().unwrap();
    let event = Event::new().unwrap();
    event.record(&Stream::builder().device(Device::new(0)).build().unwrap()).unwrap();
    let error = event.record(&stream).unwrap_err();
    assert_eq!(error.status(), Status::DEVICE_MISMATCH);
    assert_eq!((error.stream_handle(), error.event_handle()), (Some(stream.as_handle()), Some(event.as_handle())));
    assert_eq!(error.device(), Some(Device::new(1)));
    assert_eq!(std::thread::spawn(move || error.stream_handle().is_some()).join().ok(), Some(true));
}

#[test]
fn device_numbers_are_those_of_c() {
    for (backend, number) in [(Backend::Host, 1), (Backend::Cuda, 2), (Backend::Hip, 3)] {
        for ordinal in [0, 1, u16::MAX] {
            let device = Device::on(backend, ordinal);
            // SAFETY: arithmetic on numbers.
            unsafe {
                let api = gpustream::sys::api().unwrap();
                assert_eq!(api.gs_device_make(number, ordinal.into()), Ok(device.as_raw()));
                assert_eq!(api.gs_device_backend(device.as_raw()), Ok(number));
                assert_eq!(api.gs_device_ordinal(device.as_raw()), Ok(ordinal.into()));
            }
        }
    }
}

#[test]
fn clones_are_equal_and_keep_the_stream() {
    let stream = Stream::new().unwrap();
    let clone = stream.clone();
    assert_eq!(stream, clone);
    assert!(HashSet::from([stream.clone()]).contains::<StreamRef>(&clone));
    let id = stream.id().unwrap();
    drop(stream);
    assert_eq!(clone.id(), Ok(id));
    assert_eq!(clone.query(), Ok(true));
}

/// # Safety
///
/// As [`BorrowedStream::from_raw`].
unsafe fn borrow<'a>(device: Device, raw: *mut c_void) -> gpustream::Result<BorrowedStream<'a>> {
    // SAFETY: the caller's obligation.
    unsafe { BorrowedStream::from_raw(device, raw) }
}

#[test]
fn raw_handles_come_back_as_the_same_stream() {
    let stream = Stream::new().unwrap();
    let raw = stream.as_raw_stream().unwrap();
    // SAFETY: the stream is alive.
    let borrowed = unsafe { borrow(Device::CURRENT, raw) }.unwrap();
    assert_eq!(*borrowed, *stream);
    assert_eq!(*borrowed.clone(), *stream);
    let event = Event::new().unwrap();
    event.record(&borrowed).unwrap();
    borrowed.synchronize().unwrap();
    assert!(format!("{borrowed:?}").starts_with("BorrowedStream {"), "{borrowed:?}");
    // SAFETY: numbers that name no stream.
    unsafe {
        assert_eq!(borrow(Device::CURRENT, null_mut()).unwrap().id(), Ok(0));
        assert_eq!(status(borrow(Device::CURRENT, without_provenance_mut(3))), Status::INVALID_HANDLE);
        assert_eq!(status(borrow(Device::new(1), raw)), Status::DEVICE_MISMATCH);
        assert_eq!(status(borrow(Device::new(5), raw)), Status::INVALID_DEVICE);
    }
}

#[test]
fn refused_foreign_stream_is_not_released() {
    let released = Arc::new(AtomicU32::new(0));
    let known = Stream::new().unwrap();
    for raw in [null_mut(), without_provenance_mut(2), known.as_raw_stream().unwrap()] {
        let count = Arc::clone(&released);
        // SAFETY: numbers, and a stream that is refused because gpustream has it already.
        let wrapped =
            unsafe { Stream::from_raw_with(Device::CURRENT, raw, move || _ = count.fetch_add(1, Ordering::Relaxed)) };
        assert!(wrapped.is_err(), "{wrapped:?}");
    }
    assert_eq!(released.load(Ordering::Relaxed), 0);
    assert_eq!(Arc::strong_count(&released), 1, "the functions were dropped");
}

#[test]
fn borrowed_stream_can_be_current_for_a_call() {
    let owner = Stream::new().unwrap();
    // SAFETY: the owner outlives it.
    let borrowed = unsafe { BorrowedStream::from_raw(Device::CURRENT, owner.as_raw_stream().unwrap()) }.unwrap();
    // SAFETY: as above, and no reference is left after the call.
    let current = unsafe { borrowed.as_stream() }.with(|| Stream::current(Device::CURRENT).unwrap());
    assert_eq!(current, Ok(owner.clone()));
    assert_ne!(Stream::current(Device::CURRENT), Ok(owner));
}

#[test]
fn printing_shows_what_it_is() {
    let stream = Stream::builder().device(Device::new(1)).blocking(true).build().unwrap();
    let text = format!("{stream:?}");
    assert!(text.contains("Device(1)") && text.contains("BLOCKING"), "{text}");
    assert_eq!(format!("{CURRENT:?}"), "Stream(current)");
}

#[test]
fn over_released_handle_is_a_status() {
    let stream = Stream::new().unwrap();
    // SAFETY: takes a number. This is another owner's mistake.
    assert_eq!(unsafe { gpustream::sys::api().unwrap().gs_stream_destroy(stream.as_handle()) }, Ok(0));
    let event = Event::new().unwrap();
    assert_eq!(status(stream.query()), Status::INVALID_HANDLE);
    assert_eq!(status(event.record(&stream)), Status::INVALID_HANDLE);
    assert_eq!(status(stream.try_clone()), Status::INVALID_HANDLE);
    // The clone of a stale handle is as stale, and dropping it has no effect.
    drop(stream.clone());
    assert!(format!("{stream:?}").contains("handle"), "{stream:?}");
}

#[test]
fn what_the_driver_knows_a_stream_by() {
    let (one, two) = (Stream::new().unwrap(), Stream::new().unwrap());
    assert_ne!(one.driver_id().unwrap(), two.driver_id().unwrap());
    assert_eq!(one.driver_id(), one.driver_id());
    assert!(!one.raw_context().unwrap().is_null());
    assert_eq!(one.raw_context(), two.raw_context());
}

#[test]
fn predicates() {
    let device = Device::new(0);
    let (own, default, per_thread) =
        (Stream::new().unwrap(), Stream::default_on(device).unwrap(), Stream::per_thread(device).unwrap());
    let kinds = |stream: &Stream| (stream.is_default().unwrap(), stream.is_per_thread().unwrap());
    assert_eq!([kinds(&own), kinds(&default), kinds(&per_thread)], [(false, false), (true, false), (false, true)]);
    // SAFETY: 1 and 2 name the default streams.
    let named = |number| unsafe { BorrowedStream::from_raw(device, without_provenance_mut(number)) };
    assert_eq!(named(1).unwrap().is_default(), Ok(true));
    assert_eq!(named(2).unwrap().is_per_thread(), Ok(true));
    assert_eq!(status(CURRENT.is_default()), Status::INVALID_HANDLE);
}
