// SPDX-License-Identifier: Apache-2.0
//! Current devices and streams, and the guards.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use gpustream::{Device, DeviceGuard, Status, Stream, StreamGuard};
use support::status;

fn on(device: u16) -> Stream {
    Stream::builder().device(Device::new(device)).build().unwrap()
}

/// Device, and streams of both devices.
fn present() -> (Device, Stream, Stream) {
    let current = |device| Stream::current(Device::new(device)).unwrap();
    (Device::current().unwrap(), current(0), current(1))
}

#[test]
fn setting_switches_the_device() {
    thread::spawn(|| {
        let stream = on(1);
        stream.set_current().unwrap();
        assert_eq!(present(), (Device::new(1), Stream::default_on(Device::new(0)).unwrap(), stream.clone()));
        let other = on(1);
        assert_eq!(other.exchange_current().as_ref(), Ok(&stream));
        assert_eq!(Stream::current(Device::CURRENT), Ok(other));
        thread::spawn(|| assert_eq!(Stream::current(Device::new(1)).unwrap().id(), Ok(0))).join().unwrap();
    })
    .join()
    .unwrap();
}

#[test]
fn current_stream_outlives_its_owner() {
    thread::spawn(|| {
        let stream = on(0);
        let id = stream.id().unwrap();
        stream.set_current().unwrap();
        drop(stream);
        let seen = Stream::with_current(Device::new(0), |current| current.id()).unwrap();
        assert_eq!(seen, Ok(id));
        assert_eq!(Stream::current(Device::new(0)).unwrap().id(), Ok(id));
    })
    .join()
    .unwrap();
}

#[test]
fn guards_nest_across_devices() {
    let before = present();
    let (a, b) = (on(0), on(1));
    {
        let _a = StreamGuard::new(&a).unwrap();
        assert_eq!(present(), (Device::new(0), a.clone(), before.2.clone()));
        {
            let _b = StreamGuard::new(&b).unwrap();
            assert_eq!(present(), (Device::new(1), a.clone(), b.clone()));
        }
        assert_eq!(present(), (Device::new(0), a.clone(), before.2.clone()));
    }
    assert_eq!(present(), before);
}

#[test]
fn panic_puts_back_what_was() {
    let before = present();
    let stream = on(1);
    let panicked = catch_unwind(AssertUnwindSafe(|| stream.with(|| std::panic::resume_unwind(Box::new("quiet")))));
    assert!(panicked.is_err());
    assert_eq!(present(), before);
    assert_eq!(stream.with(|| Stream::current(Device::CURRENT).unwrap()), Ok(stream.clone()));
}

#[test]
fn forgotten_guard_ends_with_the_one_around_it() {
    let before = present();
    {
        let _outer = StreamGuard::new(&on(0)).unwrap();
        std::mem::forget(StreamGuard::new(&on(1)).unwrap());
    }
    assert_eq!(present(), before);
}

#[test]
fn guards_that_end_in_the_wrong_order() {
    let before = present();
    for exits in [false, true] {
        let outer = StreamGuard::new(&on(0)).unwrap();
        let inner = StreamGuard::new(&on(1)).unwrap();
        for (guard, text) in [(outer, "the outer guard restored everything"), (inner, "the inner guard had no effect")]
        {
            if exits {
                assert_eq!(status(guard.exit()), Status::SCOPE);
            } else {
                drop(guard);
            }
            assert_eq!(present(), before, "{text}");
        }
    }
    StreamGuard::new(&on(0)).unwrap().exit().unwrap();
}

#[test]
fn device_guard_goes_back() {
    let before = Device::current().unwrap();
    let guard = DeviceGuard::new(Device::new(1)).unwrap();
    assert_eq!((Device::current(), guard.previous()), (Ok(Device::new(1)), before));
    assert_eq!(status(DeviceGuard::new(Device::new(9))), Status::INVALID_DEVICE);
    assert_eq!(Device::current(), Ok(Device::new(1)));
    guard.exit().unwrap();
    assert_eq!(Device::current(), Ok(before));
    assert_eq!(Device::new(1).exchange(), Ok(before));
    assert_eq!(before.exchange(), Ok(Device::new(1)));
}

#[test]
fn device_guards_out_of_order() {
    thread::spawn(|| {
        let (one, zero) = (Device::new(1), Device::new(0));
        let guard = |device| DeviceGuard::new(device).unwrap();
        // Dropped: the outer one ends those inside it, also beside new ones.
        let (outer, inner) = (guard(one), guard(zero));
        drop(outer);
        assert_eq!(Device::current(), Ok(zero));
        let (next, last) = (guard(one), guard(one));
        assert_eq!(status(inner.exit()), Status::SCOPE, "it has ended");
        assert_eq!(Device::current(), Ok(one));
        // Ended by hand: the same, and reported.
        assert_eq!(status(next.exit()), Status::SCOPE);
        assert_eq!(Device::current(), Ok(zero));
        drop(last);
        assert_eq!(Device::current(), Ok(zero));
        guard(one).exit().unwrap();
        assert_eq!(Device::current(), Ok(zero));
    })
    .join()
    .unwrap();
}

/// Guards of devices and streams end each other, and what they restored stays.
#[test]
fn guards_of_both_kinds_out_of_order() {
    thread::spawn(|| {
        let before = present();
        let (one, stream) = (Device::new(1), on(0));
        for exits in [false, true] {
            let outer = DeviceGuard::new(one).unwrap();
            let inner = StreamGuard::new(&stream).unwrap();
            if exits {
                assert_eq!(status(outer.exit()), Status::SCOPE)
            } else {
                drop(outer)
            }
            assert_eq!(present(), before, "the device guard restored everything");
            drop(inner);
            assert_eq!(present(), before, "the stream guard had ended with it");

            let outer = StreamGuard::new(&on(1)).unwrap();
            let inner = DeviceGuard::new(Device::new(0)).unwrap();
            if exits {
                assert_eq!(status(outer.exit()), Status::SCOPE)
            } else {
                drop(outer)
            }
            assert_eq!(present(), before, "the stream guard restored everything");
            drop(inner);
            assert_eq!(present(), before, "the device guard had ended with it");
        }
        let guard = DeviceGuard::new(one).unwrap();
        on(1).set_current().unwrap();
        drop(guard);
        assert_eq!(present(), before, "also what was set inside");
    })
    .join()
    .unwrap();
}

/// A guard may be kept in a thread-local variable, which ends after those of this crate or before.
#[test]
fn guard_that_ends_with_its_thread() {
    thread_local! {
        static KEPT: std::cell::RefCell<Option<DeviceGuard>> = const { std::cell::RefCell::new(None) };
    }
    thread::spawn(|| KEPT.with_borrow_mut(|kept| *kept = DeviceGuard::new(Device::new(1)).ok())).join().unwrap();
}
