// SPDX-License-Identifier: Apache-2.0
//! The example for tokio, which cargo builds before it runs tests.

use std::process::Command;

#[test]
fn the_example_does_all_the_work_in_both_ways() {
    let program = std::env::current_exe().unwrap().parent().unwrap().join("../examples/tokio");
    let output = Command::new(program).args(["5", "20"]).env("GPUSTREAM_CHECK", "abort").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(text.lines().filter(|line| line.contains("100 pieces of work")).count(), 2, "{text}");
}
