// SPDX-License-Identifier: Apache-2.0
//! Misuse that the compiler must reject: the programs in tests/misuse. The full output differs between compilers and is not
//! compared.
// The result does not depend on where the library comes from, and the test is slow.
#![cfg(not(any(feature = "link", feature = "bundled")))]

use std::fs;

const BEFORE: &str = "
#![deny(unused_must_use)]
use gpustream::*;
fn main() -> gpustream::Result<()> {
let (stream, graph) = (Stream::new()?, Graph::new(Device::CURRENT)?);
";

#[test]
fn misuse_does_not_compile() {
    let folder = tempfile::tempdir().unwrap();
    let (mut fine, mut wanted) = (Vec::new(), Vec::new());
    for program in include_str!("misuse/programs.rs").split("\n//# ").skip(1) {
        let (head, body) = program.split_once('\n').unwrap();
        let (name, error) = head.split_once(": ").unwrap_or((head, ""));
        let path = folder.path().join(name).with_extension("rs");
        fs::write(&path, format!("{BEFORE}{body}Ok(())\n}}\n")).unwrap();
        if error.is_empty() { fine.push(path) } else { wanted.push((path, error)) }
    }
    assert!(wanted.len() > 10 && fine.len() == 1, "only {wanted:?} and {fine:?}");

    {
        // SAFETY: the only test of this program, so no other thread reads the environment.
        unsafe { std::env::set_var("TRYBUILD", "overwrite") };
        let cases = trybuild::TestCases::new();
        cases.pass(&fine[0]);
        wanted.iter().for_each(|(path, _)| cases.compile_fail(path));
    } // runs here, and fails if one of them compiles

    let mut wrong = String::new();
    for (path, error) in wanted {
        let said = fs::read_to_string(path.with_extension("stderr")).unwrap();
        let (code, text) = match error.split_once(' ') {
            Some((code, text)) if code.starts_with("E0") => (format!("error[{code}]"), text),
            _ => ("error".to_owned(), error),
        };
        if !said.contains(&code) || !said.contains(text) {
            wrong += &format!("{}: wanted '{error}', the compiler said\n{said}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
