// SPDX-License-Identifier: Apache-2.0
//! Ranges that end with their values, on their threads and on others.

use gpustream::{Range, StartedRange, Status, mark, profiler_start, profiler_stop, sys};

fn pop() -> i32 {
    // SAFETY: no argument.
    unsafe { sys::api().unwrap().gs_range_pop() }.unwrap()
}

#[test]
fn ranges_end_with_their_values() {
    {
        let _outer = Range::push("outer").unwrap();
        let inner = Range::push("inner").unwrap();
        mark("here").unwrap();
        drop(inner);
        let other = std::thread::spawn(pop).join().unwrap();
        assert_eq!(other, sys::GS_ERROR_SCOPE, "the ranges of another thread are its own");
    }
    assert_eq!(pop(), sys::GS_ERROR_SCOPE, "both have ended");
    let unwound = std::panic::catch_unwind(|| {
        let _range = Range::push("unwound").unwrap();
        panic!("of the test");
    });
    assert!(unwound.is_err());
    assert_eq!(pop(), sys::GS_ERROR_SCOPE, "a panic ends it, too");
}

#[test]
fn started_ranges_go_to_other_threads() {
    let range = StartedRange::start("epoch").unwrap();
    std::thread::spawn(move || range.end().unwrap()).join().unwrap();
    drop(StartedRange::start("dropped").unwrap());
}

#[test]
fn names_have_no_nul() {
    assert_eq!(Range::push("a\0b").unwrap_err().status(), Status::INVALID_ARGUMENT);
    assert_eq!(StartedRange::start("a\0b").unwrap_err().status(), Status::INVALID_ARGUMENT);
    assert_eq!(mark("a\0b").unwrap_err().status(), Status::INVALID_ARGUMENT);
    let long = "n".repeat(100_000);
    drop(Range::push(&long).unwrap());
    mark("").unwrap();
}

#[test]
fn a_profiler_is_switched() {
    profiler_start().unwrap();
    profiler_stop().unwrap();
}
