// SPDX-License-Identifier: Apache-2.0
//! Names on one side only. The compiler cannot tell what the lists do not have.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::assertions::{CONSTANTS, FUNCTIONS, STRUCTS};

/// Constants that are declared beside the list: they are no plain numbers.
const APART: [&str; 3] = ["GS_STREAM_CURRENT", "GS_DEVICE", "GS_API"];
/// Types that are declared beside the list.
const OTHER_TYPES: [&str; 7] =
    ["gs_status_t", "gs_backend_t", "gs_device_t", "gs_stream_t", "gs_event_t", "gs_module_t", "gs_kernel_t"];

pub fn findings(header: &str) -> String {
    let code = without_comments(header);
    let mut out = String::new();
    compare(&mut out, functions(&code), FUNCTIONS, "functions.rs");
    compare(&mut out, constants(&code), CONSTANTS, "constants.rs");
    let known: BTreeSet<_> = STRUCTS.iter().chain(&OTHER_TYPES).copied().collect();
    for name in types(&code).difference(&known) {
        writeln!(out, "the header's {name} is not declared").unwrap();
    }
    out
}

fn compare(out: &mut String, header: BTreeSet<&str>, list: &[&str], file: &str) {
    let list: BTreeSet<_> = list.iter().copied().collect();
    assert!(
        !header.is_empty(),
        "no name of {file} found in the header: it is written otherwise than this test expects"
    );
    for name in header.difference(&list) {
        writeln!(out, "the header's {name} is not in {file}").unwrap();
    }
    for name in list.difference(&header) {
        writeln!(out, "{name} of {file} is not in the header").unwrap();
    }
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").expect("a comment ends").1;
    }
    out + rest
}

/// Words with their ends: what is an identifier in C.
fn words(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = code;
    std::iter::from_fn(move || {
        let start = rest.find(part)?;
        let after = &rest[start..];
        let end = after.find(|c| !part(c)).unwrap_or(after.len());
        rest = &after[end..];
        Some((&after[..end], rest))
    })
}

/// Every `gs_name(`, which only declarations have.
fn functions(code: &str) -> BTreeSet<&str> {
    words(code).filter(|(word, rest)| word.starts_with("gs_") && rest.starts_with('(')).map(|(word, _)| word).collect()
}

/// Every `GS_NAME`, enumerator or macro.
fn constants(code: &str) -> BTreeSet<&str> {
    words(code).map(|(word, _)| word).filter(|word| word.starts_with("GS_") && !APART.contains(word)).collect()
}

fn types(code: &str) -> BTreeSet<&str> {
    words(code).map(|(word, _)| word).filter(|word| word.starts_with("gs_") && word.ends_with("_t")).collect()
}
