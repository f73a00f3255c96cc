// SPDX-License-Identifier: Apache-2.0
//! scripts/lib/rust_junit.py counts the tests in the output of `cargo test`, also where other output splits a test's
//! line.

use std::fs;
use std::process::{Command, ExitStatus};

use gpustream_checks::tree;

fn convert(output: &str) -> (ExitStatus, String) {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("output"), folder.path().join("junit.xml"));
    fs::write(&from, output).unwrap();
    let script = tree().join("scripts/lib/rust_junit.py");
    let status = Command::new("python3").arg(script).arg(&from).arg(&to).status().unwrap();
    (status, fs::read_to_string(&to).unwrap())
}

#[test]
fn outcomes_are_counted() {
    let output = "     Running unittests src/lib.rs (target/debug/deps/x-1)\n\
        test a ... ok\ntest b ... FAILED\ntest c ... ignored, no GPU\ntest d   ... ok\n\
        test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out\n   Doc-tests x\n\
        test src/lib.rs - y (line 3) ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured\n";
    let (status, xml) = convert(output);
    assert!(status.success());
    assert_eq!(xml.matches("<testcase").count(), 5, "{xml}");
    assert_eq!(xml.matches("<failure").count(), 1, "{xml}");
    assert!(xml.contains("name=\"src/lib.rs: b\"") && xml.contains("doc x: src/lib.rs - y"), "{xml}");
    assert!(xml.contains("skipped message=\"no GPU\""), "{xml}");
}

#[test]
fn failure_whose_line_is_broken_is_not_lost() {
    let output = "     Running tests/x.rs (target/debug/deps/x-1)\ntest a ... something printed\nFAILED\n\
        test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
    let (status, xml) = convert(output);
    assert!(status.success());
    assert_eq!((xml.matches("<testcase").count(), xml.matches("<failure").count()), (1, 1), "{xml}");
}

#[test]
fn output_without_tests_is_a_failure() {
    assert!(!convert("error: could not compile `x`\n").0.success());
}
