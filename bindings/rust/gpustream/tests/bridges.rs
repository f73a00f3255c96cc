// SPDX-License-Identifier: Apache-2.0
//! Another library with a current stream of its own. Alone in its process, whose current streams it changes.

mod support;

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

use gpustream::{Bridge, Device, Status, Stream, sys};
use support::status;

const NAME: &CStr = c"another library";

/// What the other library has current.
static THEIRS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn get(_: *mut c_void, _: i32, out: *mut usize) -> i32 {
    // SAFETY: the library passes a variable.
    unsafe { *out = THEIRS.load(Ordering::Relaxed) };
    0
}

unsafe extern "C" fn set(_: *mut c_void, _: i32, native: usize) -> i32 {
    THEIRS.store(native, Ordering::Relaxed);
    0
}

fn register(name: &CStr) -> Bridge {
    let bridge =
        sys::gs_bridge_t { name: name.as_ptr(), get: Some(get), set: Some(set), ..sys::gs_bridge_t::default() };
    let mut number = 0;
    // SAFETY: a complete struct, and a local variable for the output.
    let registered = unsafe { sys::api().unwrap().gs_bridge_register(&raw const bridge, &raw mut number) };
    assert_eq!(registered, Ok(sys::GS_OK));
    Bridge::from_number(number)
}

fn theirs() -> *mut c_void {
    std::ptr::without_provenance_mut(THEIRS.load(Ordering::Relaxed))
}

#[test]
fn lead_and_follow() {
    assert_eq!(status(Bridge::find("no such library")), Status::INVALID_ARGUMENT);
    assert_eq!(status(Bridge::find("torch\0")), Status::INVALID_ARGUMENT);
    assert_eq!(status(Bridge::find("torch")), Status::UNAVAILABLE);
    let bridge = register(NAME);
    assert_eq!(Bridge::find("another library"), Ok(bridge));

    let device = Device::current().unwrap();
    let (ours, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    leads(bridge, &ours);
    follows(bridge, device, &other);

    // SAFETY: takes a number.
    assert_eq!(unsafe { sys::api().unwrap().gs_bridge_unregister(bridge.number()) }, Ok(sys::GS_OK));
    // SAFETY: the bridge is gone.
    assert_eq!(status(unsafe { bridge.lead(true) }), Status::INVALID_ARGUMENT);
    // SAFETY: as above.
    assert_eq!(status(unsafe { bridge.follow() }), Status::INVALID_ARGUMENT);
}

fn leads(bridge: Bridge, ours: &Stream) {
    let raw = ours.as_raw_stream().unwrap();
    // SAFETY: the stream outlives this function, at whose end the other library has none of ours.
    unsafe { bridge.lead(true) }.unwrap();
    assert_eq!(theirs(), null_mut(), "leading alone changes nothing");
    ours.with(|| assert_eq!(theirs(), raw)).unwrap();
    assert_eq!(theirs(), null_mut(), "the end of the scope restores what was there");
    // SAFETY: no stream is current any more.
    unsafe { bridge.lead(false) }.unwrap();
    ours.with(|| assert_eq!(theirs(), null_mut())).unwrap();
}

fn follows(bridge: Bridge, device: Device, other: &Stream) {
    let default = Stream::default_on(device).unwrap();
    let raw = other.as_raw_stream().unwrap();
    let second = register(c"one more");
    // SAFETY: the stream outlives this function.
    unsafe { bridge.follow() }.unwrap();
    // SAFETY: refused.
    assert_eq!(status(unsafe { second.follow() }), Status::INVALID_ARGUMENT, "one is followed at a time");
    THEIRS.store(raw.addr(), Ordering::Relaxed);
    assert_eq!(Stream::current(device), Ok(other.clone()));
    assert_eq!(Stream::current_raw(device), Ok(raw));
    default.set_current().unwrap();
    assert_eq!(theirs(), null_mut(), "a call that sets ours sets theirs");
    THEIRS.store(raw.addr(), Ordering::Relaxed);
    Bridge::stop_following().unwrap();
    assert_eq!(Stream::current(device), Ok(default));
    assert_eq!(Stream::current_raw(device), Ok(null_mut()));
}
