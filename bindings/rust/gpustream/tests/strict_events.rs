// SPDX-License-Identifier: Apache-2.0
//! First records, waits without a record, nanoseconds and absolute times.

mod support;

use gpustream::{Device, Event, Status, Stream, UnrecordedMode, set_unrecorded_mode, unrecorded_mode};
use support::{alone, block_on, status};

#[test]
fn the_first_record_stays() {
    let stream = Stream::new().unwrap();
    let other = Stream::builder().device(Device::new(1)).build().unwrap();
    let event = Event::new().unwrap();
    assert_eq!(event.record_once(&stream), Ok(true));
    assert_eq!(event.record_once(&stream), Ok(false));
    assert_eq!(event.record_once(&other), Ok(false), "nothing is recorded there");
    event.record(&stream).unwrap();
    assert_eq!(event.record_once(&stream), Ok(false));
}

#[test]
fn waits_without_a_record_fail_on_request() {
    let _alone = alone();
    let (stream, event) = (Stream::new().unwrap(), Event::new().unwrap());
    assert_eq!(unrecorded_mode(), Ok(UnrecordedMode::Ignore));
    stream.wait_event(&event).unwrap();
    set_unrecorded_mode(UnrecordedMode::Error).unwrap();
    let mode = unrecorded_mode();
    let results = [stream.wait_event(&event), event.wait(&stream), event.synchronize()];
    set_unrecorded_mode(UnrecordedMode::Ignore).unwrap();
    assert_eq!(mode, Ok(UnrecordedMode::Error));
    for result in results {
        assert_eq!(status(result), Status::NOT_RECORDED);
    }
}

#[test]
fn times_in_nanoseconds() {
    let stream = Stream::new().unwrap();
    let (start, end, plain) = (Event::timed().unwrap(), Event::timed().unwrap(), Event::new().unwrap());
    assert_eq!(status(start.elapsed_ns(&plain)), Status::TIMING_DISABLED);
    assert_eq!(status(start.elapsed_ns(&end)), Status::NOT_RECORDED);
    start.record(&stream).unwrap();
    stream.sleep(2_000_000).unwrap();
    end.record(&stream).unwrap();
    let ns = block_on(start.elapsed_ns_async(&end)).unwrap();
    assert!(ns > 0);
    assert_eq!(start.elapsed_ns(&end), Ok(ns));
    assert_eq!(end.elapsed_ns(&start), Ok(-ns));
}

#[test]
fn times_by_the_hosts_clock() {
    let stream = Stream::new().unwrap();
    let event = Event::timed().unwrap();
    assert!(Device::current().unwrap().calibrate().unwrap() > 0);
    assert_eq!(status(event.host_time()), Status::NOT_RECORDED);
    event.record(&stream).unwrap();
    event.synchronize().unwrap();
    let first = event.host_time().unwrap();
    event.record(&stream).unwrap();
    event.synchronize().unwrap();
    let second = event.host_time().unwrap();
    assert!(first.error_ns > 0 && second.error_ns > 0);
    assert!(first.ns - first.error_ns <= second.ns + second.error_ns);
}
