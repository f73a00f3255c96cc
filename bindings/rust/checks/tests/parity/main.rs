// SPDX-License-Identifier: Apache-2.0
//! The cases that all languages share (tests/parity/README.md), each in a process of its own: this program again, with
//! the case's name in the environment. The cases of wrong_cases.json must fail, each for its stated reason.

mod arguments;
mod check;
mod inputs;
mod operations;
mod parameter;
mod run;
mod structs;
mod value;

use std::env;
use std::process::{Command, ExitCode};

use gpustream_checks::tree;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;

const CASE: &str = "GPUSTREAM_PARITY_CASE";

fn document(file: &str) -> Json {
    let path = tree().join("tests/parity").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn main() -> ExitCode {
    if let Ok(case) = env::var(CASE) {
        return run_here(&case);
    }
    let mut trials = Vec::new();
    for (file, prefix) in [("cases.json", "parity"), ("wrong_cases.json", "parity.wrong")] {
        for case in document(file)["cases"].as_array().expect("a list of cases") {
            let (file, case) = (file, case.clone());
            let name = format!("{prefix}.{}", case["name"].as_str().unwrap());
            trials.push(Trial::test(name, move || in_a_process(file, &case)));
        }
    }
    assert!(trials.len() > 40, "only {} cases", trials.len());
    trials.push(Trial::test("inputs.structs_and_lists", || Ok(inputs::structs_and_lists()?)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn run_here(name: &str) -> ExitCode {
    let (file, case) = name.split_once(':').expect("file:case");
    let document = document(file);
    let found = document["cases"].as_array().unwrap().iter().find(|one| one["name"] == case).expect("such a case");
    match run::run(&document["constants"], &found["steps"]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{case}: {text}");
            ExitCode::FAILURE
        }
    }
}

fn in_a_process(file: &str, case: &Json) -> Result<(), Failed> {
    let mut command = Command::new(env::current_exe()?);
    command.env(CASE, format!("{file}:{}", case["name"].as_str().unwrap()));
    command.env("GPUSTREAM_BACKEND", "host").env("GPUSTREAM_HOST_DEVICES", "2");
    for (name, value) in case["env"].as_object().into_iter().flatten() {
        command.env(name, value.as_str().expect("a text"));
    }
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    match case["fails_with"].as_str() {
        None if output.status.success() => Ok(()),
        None => Err(format!("{}\n{text}", output.status).into()),
        Some(_) if output.status.success() => Err("the case should have failed".into()),
        Some(reason) if contains(&text, reason) => Ok(()),
        Some(reason) => Err(format!("it failed, but not with '{reason}':\n{text}").into()),
    }
}

/// Whether `text` contains `pattern`, in which a dot matches any character.
fn contains(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    text.windows(pattern.len()).any(|part| part.iter().zip(&pattern).all(|(c, p)| *p == '.' || c == p))
}
