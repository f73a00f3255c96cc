// SPDX-License-Identifier: Apache-2.0
//! Misuse that the compiler must reject. The second line of each program in tests/misuse states the expected error; the
//! full output differs between compilers and is not compared.
// The result does not depend on where the library comes from, and the test is slow.
#![cfg(not(any(feature = "link", feature = "bundled")))]

use std::fs;
use std::path::Path;

#[test]
fn misuse_does_not_compile() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/misuse");
    let folder = tempfile::tempdir().unwrap();
    let mut wanted = Vec::new();
    for entry in fs::read_dir(programs).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::copy(&path, folder.path().join(name)).unwrap();
        if name != "fine.rs" {
            let line = text.lines().nth(1).and_then(|line| line.strip_prefix("// error: "));
            wanted.push((name.to_owned(), line.expect("the second line states the error").to_owned()));
        }
    }
    assert!(wanted.len() > 10, "only {wanted:?}");

    {
        // SAFETY: the only test of this program, so no other thread reads the environment.
        unsafe { std::env::set_var("TRYBUILD", "overwrite") };
        let cases = trybuild::TestCases::new();
        cases.pass(folder.path().join("fine.rs"));
        for (name, _) in &wanted {
            cases.compile_fail(folder.path().join(name));
        }
    } // runs here, and fails if one of them compiles

    let mut wrong = String::new();
    for (name, error) in wanted {
        let said = fs::read_to_string(folder.path().join(&name).with_extension("stderr")).unwrap();
        let (code, text) = match error.split_once(' ') {
            Some((code, text)) if code.starts_with("E0") => (format!("error[{code}]"), text),
            _ => ("error".to_owned(), error.as_str()),
        };
        if !said.contains(&code) || !said.contains(text) {
            wrong += &format!("{}: wanted '{error}', the compiler said\n{said}\n", name.to_string_lossy());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
