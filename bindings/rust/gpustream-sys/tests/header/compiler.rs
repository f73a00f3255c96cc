// SPDX-License-Identifier: Apache-2.0
//! Runs the C compiler.

use std::fs;
use std::process::Command;

/// The compiler's messages about `program` with a given header; empty if it accepts it.
pub fn complaints(header: &str, program: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("gpustream.h"), header).unwrap();
    fs::write(folder.path().join("check.c"), program).unwrap();
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fmax-errors=0", "-fsyntax-only", "check.c"])
        .current_dir(folder.path())
        .output()
        .unwrap_or_else(|error| panic!("cannot run {compiler:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() || !text.is_empty(), "{compiler:?} failed without a message");
    if output.status.success() { String::new() } else { text }
}
