// SPDX-License-Identifier: Apache-2.0
//! Traces: what is in one, which one is meant, and what is refused.

mod support;

use std::io::ErrorKind;

use gpustream::{Error, Event, Range, Status, Stream, Trace, TraceFlags, mark, sys};
use support::{alone, status};

/// Events of the text with this name; each is on a line of its own.
fn named<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let part = format!("\"name\": \"{name}\"");
    text.lines().filter(|line| line.contains(&part)).collect()
}

#[test]
fn it_has_ranges_and_waits_until_it_is_stopped() {
    let _alone = alone();
    let (upload, compute, ready) = (Stream::new().unwrap(), Stream::new().unwrap(), Event::new().unwrap());
    drop(Range::push("before").unwrap());
    let mut trace = Trace::start(TraceFlags::empty()).unwrap();
    {
        let _step = Range::push("step, \u{fc}").unwrap();
        ready.record(&upload).unwrap();
        compute.wait_event(&ready).unwrap();
        assert_eq!(named(&trace.text().unwrap(), "Stream Wait Event").len(), 1, "while it runs");
    }
    trace.stop().unwrap();
    trace.stop().unwrap();
    compute.wait_event(&ready).unwrap();
    drop(Range::push("after").unwrap());
    let text = trace.text().unwrap();
    let waits = named(&text, "Stream Wait Event");
    assert_eq!(waits.len(), 1, "{text}");
    assert!(waits[0].contains("wait_on_stream") && waits[0].contains("wait_on_cuda_event_record_corr_id"), "{text}");
    assert_eq!(named(&text, "step, \u{fc}").len(), 1, "{text}");
    assert!(!text.contains("\"before\"") && !text.contains("\"after\""), "{text}");

    let folder = std::env::temp_dir().join(format!("gpustream-traces-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("step.json");
    std::fs::write(&file, "x".repeat(2 * text.len())).unwrap();
    trace.write(&file).unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert_eq!(trace.write(folder.join("none/step.json")).unwrap_err().kind(), ErrorKind::NotFound);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn one_runs_at_a_time_and_the_last_one_is_kept() {
    let _alone = alone();
    let first = Trace::start(TraceFlags::empty()).unwrap();
    assert_eq!(status(Trace::start(TraceFlags::empty())), Status::NOT_PERMITTED);
    mark("first").unwrap();
    drop(first);
    let mut second = Trace::start(TraceFlags::empty()).unwrap();
    mark("second").unwrap();
    second.stop().unwrap();
    let text = second.text().unwrap();
    assert!(text.contains("\"second\"") && !text.contains("\"first\""), "{text}");
    let third = Trace::start(TraceFlags::empty()).unwrap();
    assert_eq!(status(second.text()), Status::NOT_RECORDED);
    let refused = second.write("never").unwrap_err();
    assert_eq!(refused.get_ref().unwrap().downcast_ref::<Error>().unwrap().status(), Status::NOT_RECORDED);
    std::thread::spawn(move || drop(third)).join().unwrap();
    drop(Trace::start(TraceFlags::empty()).unwrap());
}

/// As other languages of the process do, which Rust does not hear of.
#[test]
fn a_trace_that_other_code_has_started_is_another_one() {
    let _alone = alone();
    let api = sys::api().unwrap();
    let mut trace = Trace::start(TraceFlags::empty()).unwrap();
    trace.stop().unwrap();
    let mut other = 0;
    // SAFETY: no options, and the output is a local variable.
    assert_eq!(unsafe { api.gs_trace_begin(std::ptr::null(), &raw mut other) }.unwrap(), sys::GS_OK);
    assert_eq!(status(trace.text()), Status::NOT_RECORDED);
    assert_eq!(status(Trace::start(TraceFlags::empty())), Status::NOT_PERMITTED);
    drop(trace); // does not end it
    // SAFETY: takes a number.
    assert_eq!(unsafe { api.gs_trace_end(other) }.unwrap(), sys::GS_OK);
    let present = Trace::start(TraceFlags::empty()).unwrap();
    // SAFETY: takes a number.
    assert_eq!(unsafe { api.gs_trace_end(other) }.unwrap(), sys::GS_ERROR_SCOPE);
    mark("present").unwrap();
    assert!(present.text().unwrap().contains("\"present\""));
}

#[test]
fn it_keeps_as_much_as_it_is_told() {
    let _alone = alone();
    assert_eq!(status(Trace::keeping(1_048_577, TraceFlags::empty())), Status::INVALID_ARGUMENT);
    assert_eq!(status(Trace::start(TraceFlags::from_bits_retain(1 << 30))), Status::INVALID_ARGUMENT);
    let mut trace = Trace::keeping(20_000, TraceFlags::empty()).unwrap(); // what was refused has started none
    std::thread::spawn(|| (0..20_000).for_each(|_| mark("many").unwrap())).join().unwrap();
    trace.stop().unwrap();
    let text = trace.text().unwrap();
    assert_eq!(named(&text, "many").len(), 20_000);
    assert!(text.contains("\"dropped\": 0"), "{}", text.lines().next().unwrap());
}
