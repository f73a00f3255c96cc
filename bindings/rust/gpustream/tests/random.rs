// SPDX-License-Identifier: Apache-2.0
//! The random state of devices: what is reserved after a seed, states that are set, and captures.

mod support;

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
fn states_are_set_read_and_advanced() {
    let _kept = Kept::new();
    let stream = Stream::new().unwrap();
    random::seed(Device::CURRENT, u64::MAX).unwrap();
    assert_eq!(begin(random::reserve(&stream, 5).unwrap()), (u64::MAX, 0));
    let guard = StreamGuard::new(&stream).unwrap();
    assert_eq!(begin(random::reserve(CURRENT, 4).unwrap()), (u64::MAX, 8), "rounded up to a multiple of 4");
    drop(guard);
    let state = random::state(Device::CURRENT).unwrap();
    assert_eq!(state, State { seed: u64::MAX, offset: 12 });
    random::set_state(Device::CURRENT, State { seed: 2, offset: 64 }).unwrap();
    assert_eq!(begin(random::reserve(&stream, 1).unwrap()), (2, 64));
    random::set_state(Device::CURRENT, State::from_bytes(state.to_bytes())).unwrap();
    assert_eq!(random::state(Device::CURRENT), Ok(state));
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
