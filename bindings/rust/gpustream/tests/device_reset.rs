// SPDX-License-Identifier: Apache-2.0
//! A device that is reset, also while threads use it. Alone in its process, as the device does not come back.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use gpustream::{Device, Event, Status, Stream};
use support::status;

/// This program has neither host buffers nor another library that uses its devices.
fn reset(device: Device) -> gpustream::Result<()> {
    // SAFETY: as said above.
    unsafe { device.reset() }
}

/// Works in a stream until its device is lost; counts its rounds.
fn work(stream: &Stream, rounds: &AtomicUsize) -> Status {
    let event = Event::new().unwrap();
    loop {
        let round = || {
            event.record(stream)?;
            stream.wait_event(&event)?;
            event.synchronize()?;
            stream.synchronize()
        };
        if let Err(error) = round() {
            return error.status();
        }
        rounds.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn every_object_and_thread_is_told() {
    let (device, other) = (Device::new(1), Device::new(0));
    assert_eq!(status(reset(Device::new(99))), Status::INVALID_DEVICE);
    let kept = Stream::builder().device(device).build().unwrap();
    let streams: Vec<_> = (0..3).map(|_| Stream::builder().device(device).build().unwrap()).collect();
    let (rounds, resets) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        let workers: Vec<_> = streams.iter().map(|stream| scope.spawn(|| work(stream, &rounds))).collect();
        while rounds.load(Ordering::Relaxed) < 300 {
            thread::yield_now();
        }
        let resetting: Vec<_> = (0..2).map(|_| scope.spawn(|| reset(device))).collect();
        for one in resetting {
            match one.join().unwrap() {
                Ok(()) => _ = resets.fetch_add(1, Ordering::Relaxed),
                Err(error) => assert_eq!(error.status(), Status::CONTEXT_LOST),
            }
        }
        for worker in workers {
            assert_eq!(worker.join().unwrap(), Status::CONTEXT_LOST);
        }
    });
    assert_eq!(resets.into_inner(), 1);
    assert_eq!(status(kept.query()), Status::CONTEXT_LOST);
    assert_eq!(status(device.synchronize()), Status::CONTEXT_LOST);
    assert_eq!(status(Stream::builder().device(device).build()), Status::CONTEXT_LOST);
    drop(kept);
    Stream::builder().device(other).build().unwrap().synchronize().unwrap();
}
