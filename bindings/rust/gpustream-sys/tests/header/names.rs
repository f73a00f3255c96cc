// SPDX-License-Identifier: Apache-2.0
//! Names that only one side has. The compiler cannot see what the lists lack.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::assertions::{ALIASES, CONSTANTS, FUNCTIONS, HANDLE_CONSTANTS, HANDLES, STRUCTS};

/// Macros with parameters, and the one before each function.
const MACROS: [&str; 2] = ["GS_DEVICE", "GS_API"];

pub fn findings(header: &str) -> String {
    let code = without_comments(header);
    let mut out = String::new();
    compare(&mut out, functions(&code), FUNCTIONS, "functions.rs");
    compare(&mut out, constants(&code), &[CONSTANTS, HANDLE_CONSTANTS].concat(), "lists.rs");
    let known: BTreeSet<_> = [STRUCTS, HANDLES, ALIASES].concat().into_iter().collect();
    for name in types(&code).difference(&known) {
        writeln!(out, "the header's {name} is not declared").unwrap();
    }
    out
}

fn compare(out: &mut String, header: BTreeSet<&str>, list: &[&str], file: &str) {
    let list: BTreeSet<_> = list.iter().copied().collect();
    assert!(!header.is_empty(), "the header has no name that belongs in {file}: this test cannot read it");
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

/// The identifiers of C code, each with the text behind it.
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

/// Every `gs_name(`, which occurs only in declarations.
fn functions(code: &str) -> BTreeSet<&str> {
    words(code).filter(|(word, rest)| word.starts_with("gs_") && rest.starts_with('(')).map(|(word, _)| word).collect()
}

/// Every `GS_NAME`, enumerator or macro.
fn constants(code: &str) -> BTreeSet<&str> {
    words(code).map(|(word, _)| word).filter(|word| word.starts_with("GS_") && !MACROS.contains(word)).collect()
}

fn types(code: &str) -> BTreeSet<&str> {
    words(code).map(|(word, _)| word).filter(|word| word.starts_with("gs_") && word.ends_with("_t")).collect()
}
