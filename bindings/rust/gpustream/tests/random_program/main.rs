// SPDX-License-Identifier: Apache-2.0
//! Random programs over streams and events through the safe interface, against a small happens-before oracle.
//!
//! The same seed gives the same program. Several threads execute its operations one at a time: the order of the calls
//! is known, and thread state is exercised on several threads. Overlapping calls are the subject of the core's test
//! (tests/oracle).

mod execute;
mod oracle;
mod program;

use std::env;
use std::process::Command;

use execute::{Fault, execute};
use program::generate;

fn programs() -> u64 {
    if env::var_os("GPUSTREAM_TEST_FULL").is_some() { 50_000 } else { 1000 }
}

fn run(fault: Fault, seeds: std::ops::Range<u64>) -> Vec<String> {
    let judged = seeds.map(|seed| (seed, execute(&generate(seed), fault)));
    judged.filter_map(|(seed, result)| result.err().map(|text| format!("seed {seed}: {text}"))).collect()
}

#[test]
fn order_is_kept() {
    let wrong = run(Fault::None, 0..programs());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The library reads the setting once, so this runs in another process.
#[test]
fn order_is_kept_without_elision() {
    if env::var("GPUSTREAM_ELIDE").as_deref() == Ok("0") {
        return; // in that process order_is_kept is the test
    }
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "order_is_kept"])
        .env("GPUSTREAM_ELIDE", "0")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// A library that loses waits, or binds them to the wrong record, is detected.
#[test]
fn faults_are_found() {
    for fault in [Fault::LosesWaits, Fault::LosesRecords, Fault::LosesStreamWaits] {
        let wrong = run(fault, 0..100);
        assert!(wrong.len() > 3, "{fault:?} was found in {} of 100 programs", wrong.len());
    }
}

#[test]
fn same_seed_same_program() {
    assert_eq!(generate(7), generate(7));
    assert_ne!(generate(7), generate(8));
}
