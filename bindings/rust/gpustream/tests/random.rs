// SPDX-License-Identifier: Apache-2.0
//! The random state of devices: what is reserved after a seed, states that are set, and captures.

mod support;

use std::ffi::c_void;

use gpustream::random::{self, Philox, State};
use gpustream::{CURRENT, CaptureMode, Device, Stream, StreamGuard};
use support::alone;

/// The state of the current device for the time of a test, since it is the process's.
struct Kept {
    before: State,
    _turn: std::sync::MutexGuard<'static, ()>,
}

impl Kept {
    fn new() -> Self {
        let turn = alone();
        Self { before: random::state(Device::CURRENT).unwrap(), _turn: turn }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        random::set_state(Device::CURRENT, self.before).unwrap();
    }
}

/// Seed and offset of a reservation that is not captured.
#[track_caller]
fn begin(philox: Philox) -> (u64, u64) {
    assert!(!philox.captured);
    assert_eq!((philox.seed_address, philox.offset_address, philox.offset_in_graph), (0, 0, 0));
    (philox.seed, philox.offset)
}

#[test]
fn reservations_follow_each_other_in_blocks_of_four() {
    let _kept = Kept::new();
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    random::seed(Device::CURRENT, u64::MAX).unwrap();
    assert_eq!(begin(random::reserve(&stream, 5).unwrap()), (u64::MAX, 0));
    assert_eq!(begin(random::reserve(&other, 1).unwrap()), (u64::MAX, 8), "a device has one state for all streams");
    assert_eq!(begin(random::reserve(&stream, 0).unwrap()), (u64::MAX, 12));
    let guard = StreamGuard::new(&stream).unwrap();
    assert_eq!(begin(random::reserve(CURRENT, 4).unwrap()), (u64::MAX, 12));
    drop(guard);
    assert_eq!(random::state(Device::CURRENT), Ok(State { seed: u64::MAX, offset: 16 }));
    random::seed(Device::CURRENT, 7).unwrap();
    assert_eq!(begin(random::reserve(&stream, 1 << 62).unwrap()), (7, 0));
    assert_eq!(random::state(Device::CURRENT), Ok(State { seed: 7, offset: 1 << 62 }));
}

#[test]
fn states_are_exchanged() {
    let _kept = Kept::new();
    let stream = Stream::new().unwrap();
    let (mine, theirs) = (State { seed: 1, offset: 64 }, State { seed: 2, offset: u64::MAX - 3 });
    random::set_state(Device::CURRENT, mine).unwrap();
    assert_eq!(begin(random::reserve(&stream, 9).unwrap()), (1, 64));
    let bytes = random::state(Device::CURRENT).unwrap().to_bytes();
    random::set_state(Device::CURRENT, theirs).unwrap();
    assert_eq!(begin(random::reserve(&stream, 8).unwrap()), (2, u64::MAX - 3), "offsets wrap after 2^64 numbers");
    assert_eq!(random::state(Device::CURRENT), Ok(State { seed: 2, offset: 4 }));
    random::set_state(Device::CURRENT, State::from_bytes(bytes)).unwrap();
    assert_eq!(begin(random::reserve(&stream, 1).unwrap()), (1, 76));
}

#[test]
fn captured_reservations_have_addresses() {
    let _kept = Kept::new();
    let stream = Stream::new().unwrap();
    let capture = stream.capture(CaptureMode::Relaxed).unwrap();
    let [first, second] = [5, 1].map(|numbers| random::reserve(&stream, numbers).unwrap());
    for philox in [first, second] {
        assert_eq!((philox.captured, philox.seed, philox.offset), (true, 0, 0));
        assert!(philox.seed_address != 0 && philox.offset_address != 0);
    }
    assert_eq!((first.offset_in_graph, second.offset_in_graph), (0, 8));
    drop(capture.end().unwrap());
}

#[test]
fn kernel_argument_is_the_struct_of_c() {
    let _kept = Kept::new();
    random::seed(Device::CURRENT, 17).unwrap();
    let raw = random::reserve(&Stream::new().unwrap(), 1).unwrap().raw();
    let argument = gpustream::KernelArgument::new(&raw);
    assert_eq!((raw.seed, raw.offset, raw.captured), (17, 0, 0));
    assert_eq!(size_of_val(&argument), size_of::<*const c_void>());
}
