// SPDX-License-Identifier: Apache-2.0
//! Events: recording, waiting, querying, timing, other processes.

mod support;

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gpustream::{ArrowSyncEvent, CURRENT, Device, Event, EventFlags, IpcHandle, Status, Stream, sys};
use support::{Held, status};

#[test]
fn builder_options_arrive() {
    let event = Event::builder().timing(true).blocking(true).external(true).build().unwrap();
    assert_eq!(event.flags(), Ok(EventFlags::TIMING | EventFlags::BLOCKING | EventFlags::EXTERNAL));
    assert_eq!(Event::builder().timing(true).timing(false).build().unwrap().flags(), Ok(EventFlags::empty()));
    assert_eq!(status(Event::builder().timing(true).interprocess(true).build()), Status::INVALID_ARGUMENT);
    assert_eq!(status(Event::builder().flags(EventFlags::from_bits_retain(256)).build()), Status::INVALID_ARGUMENT);
}

#[test]
fn current_marker_is_the_current_stream() {
    let held = Held::new();
    let event = Event::new().unwrap();
    held.stream.with(|| event.record(CURRENT)).unwrap().unwrap();
    assert_eq!(event.query(), Ok(false));
}

#[test]
fn record_new_event_covers_the_work_so_far() {
    let held = Held::new();
    let event = held.stream.record_new_event().unwrap();
    assert_eq!(event.query(), Ok(false));
    assert_eq!(event.flags(), Ok(EventFlags::empty()));
    held.gate.open();
    event.synchronize().unwrap();
    let current = CURRENT.record_new_event().unwrap();
    current.synchronize().unwrap();
    // SAFETY: a number that was never a handle.
    let gone = unsafe { Stream::from_handle(without_provenance_mut(1)) };
    assert_eq!(status(gone.record_new_event()), Status::INVALID_HANDLE);
}

#[test]
fn handle_that_c_gave_and_that_c_gets() {
    let api = sys::api().unwrap();
    let mut handle = null_mut();
    // SAFETY: the output is a local variable.
    assert_eq!(unsafe { api.gs_event_create(0, &raw mut handle) }, Ok(0));
    // SAFETY: the reference of gs_event_create is ours and is given away here.
    let event = unsafe { Event::from_handle(handle) };
    assert_eq!(event.as_handle(), handle);
    event.record(&Stream::new().unwrap()).unwrap();
    let given = event.into_handle();
    // SAFETY: takes handles. The one reference is ours again; afterwards there is none.
    let destroyed = unsafe { [api.gs_event_destroy(given), api.gs_event_destroy(given)] };
    assert_eq!(destroyed, [Ok(0), Ok(sys::GS_ERROR_INVALID_HANDLE)]);

    // SAFETY: as above.
    let stream = unsafe { Stream::from_handle(Stream::new().unwrap().into_handle()) }.into_handle();
    // SAFETY: as above.
    let destroyed = unsafe { [api.gs_stream_destroy(stream), api.gs_stream_destroy(stream)] };
    assert_eq!(destroyed, [Ok(0), Ok(sys::GS_ERROR_INVALID_HANDLE)]);
}

#[test]
fn handle_is_given_up_and_adopted() {
    let device = Device::current().unwrap();
    let (held, released) = (Held::new(), Arc::new(AtomicU32::new(0)));
    let event = held.stream.record_new_event().unwrap();
    let other = event.clone();
    let raw = event.into_raw().unwrap();
    assert_eq!(other.as_raw_event(), Ok(raw));
    assert_eq!(status(other.into_raw()), Status::INVALID_ARGUMENT, "it wraps an event of ours by now");
    let count = released.clone();
    let release = move || {
        count.fetch_add(1, Ordering::Relaxed);
    };
    // SAFETY: the event is ours and lives until the process ends.
    let adopted = unsafe { Event::from_raw_with(device, raw, release) }.unwrap();
    assert_eq!(adopted.query(), Ok(false));
    held.gate.open();
    adopted.synchronize().unwrap();
    let clone = adopted.clone();
    drop(adopted);
    assert_eq!(released.load(Ordering::Relaxed), 0);
    drop(clone);
    assert_eq!(released.load(Ordering::Relaxed), 1);

    let stream = Stream::new().unwrap();
    let raw = stream.as_raw_stream().unwrap();
    assert_eq!(stream.into_raw(), Ok(raw));
    // SAFETY: the stream is ours and lives until the process ends.
    let adopted = unsafe { Stream::from_raw_with(device, raw, || ()) }.unwrap();
    adopted.synchronize().unwrap();
    assert_eq!(status(Stream::default_on(device).unwrap().into_raw()), Status::INVALID_ARGUMENT);
}

#[test]
fn clones_are_the_same_event() {
    let (event, stream) = (Event::new().unwrap(), Held::new());
    let clone = event.clone();
    assert_eq!(event, clone);
    assert_ne!(event, Event::new().unwrap());
    event.record(&stream.stream).unwrap();
    drop(event);
    assert_eq!(clone.query(), Ok(false));
    assert!(format!("{clone:?}").contains("Event { id: 0x"), "{clone:?}");
}

#[test]
fn raw_handle_of_an_event() {
    let (event, held) = (Event::new().unwrap(), Held::new());
    event.record(&held.stream).unwrap();
    let raw = event.as_raw_event().unwrap();
    assert!(!raw.is_null());
    // SAFETY: the event is alive.
    let [wrapped, refused] = [Device::CURRENT, Device::new(9)].map(|device| unsafe { Event::from_raw(device, raw) });
    assert_eq!(wrapped.as_ref().map(Event::query), Ok(Ok(false)));
    held.gate.open();
    wrapped.unwrap().synchronize().unwrap();
    assert_eq!(status(refused), Status::INVALID_DEVICE);
}

#[test]
fn sync_event_of_arrow() {
    let device = Device::current().unwrap();
    assert_eq!(status(ArrowSyncEvent::new(Event::new().unwrap())), Status::NOT_RECORDED);
    let (held, reader) = (Held::new(), Stream::new().unwrap());
    let exported = Box::new(ArrowSyncEvent::new(held.stream.record_new_event().unwrap()).unwrap());
    let pointer = exported.as_ptr();
    let exported = *exported;
    assert_eq!(exported.as_ptr(), pointer, "moving it does not move the word");
    // SAFETY: the export is alive.
    let found = unsafe { ArrowSyncEvent::read(pointer, device) }.unwrap().unwrap();
    assert_eq!(&found, exported.event());
    reader.wait_event(&found).unwrap();
    drop((found, exported));
    assert_eq!(reader.query(), Ok(false), "it waits for the producer");
    held.gate.open();
    reader.synchronize().unwrap();
    // SAFETY: nothing is read.
    assert_eq!(unsafe { ArrowSyncEvent::read(std::ptr::null(), device) }, Ok(None));
}

const PEER: &str = "GPUSTREAM_TEST_PEER";

#[test]
fn event_of_another_process() {
    if std::env::var_os(PEER).is_some() {
        return peer();
    }
    let event = Event::builder().interprocess(true).build().unwrap();
    let held = Held::new();
    event.record(&held.stream).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "event_of_another_process", "--nocapture"])
        .env(PEER, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    to.write_all(event.ipc_export().unwrap().as_bytes()).unwrap();
    let mut text = Vec::new();
    while !text.ends_with(b"pending\n") {
        let mut byte = [0];
        from.read_exact(&mut byte).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&text)));
        text.push(byte[0]);
    }
    held.gate.open();
    from.read_to_end(&mut text).unwrap();
    assert!(child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&text));
    assert!(String::from_utf8_lossy(&text).contains("waited"), "{}", String::from_utf8_lossy(&text));
}

fn peer() {
    let mut bytes = [0; 64];
    std::io::stdin().read_exact(&mut bytes).unwrap();
    let event = Event::ipc_open(Device::CURRENT, &IpcHandle::from_bytes(bytes)).unwrap();
    let stream = Stream::new().unwrap();
    stream.wait_event(&event).unwrap();
    assert_eq!((event.query(), stream.query()), (Ok(false), Ok(false)));
    println!("pending");
    stream.synchronize().unwrap();
    assert_eq!(event.query(), Ok(true));
    println!("waited");
}
