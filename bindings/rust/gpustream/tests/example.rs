// SPDX-License-Identifier: Apache-2.0
//! The examples: the pipeline computes the same result as the C++ one, and detects kernels that compute another.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn build() -> PathBuf {
    env::var_os("GPUSTREAM_BUILD_DIR").expect("GPUSTREAM_BUILD_DIR names the build folder of the core").into()
}

fn run(program: &Path, arguments: &[&str]) -> Output {
    assert!(program.is_file(), "{} is missing", program.display());
    let output = Command::new(program).args(arguments).env("GPUSTREAM_CHECK", "abort").output();
    output.unwrap_or_else(|error| panic!("{}: {error}", program.display()))
}

/// Cargo builds examples before it runs tests.
fn rust(arguments: &[&str]) -> Output {
    let folder = env::current_exe().unwrap().parent().unwrap().join("../examples");
    run(&folder.join("pipeline"), arguments)
}

#[test]
fn tokio_example_does_all_the_work_in_both_ways() {
    let folder = env::current_exe().unwrap().parent().unwrap().join("../examples");
    let output = run(&folder.join("tokio"), &["5", "20"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let pieces: Vec<_> = text.lines().filter(|line| line.contains("100 pieces of work")).collect();
    assert_eq!(pieces.len(), 2, "{text}");
}

fn verdict(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    text.lines().last().unwrap_or_else(|| panic!("no output: {errors}")).to_owned()
}

#[test]
fn result_is_that_of_the_other_program() {
    let build = build();
    let kernels = build.join("bin/pipeline_kernels.so");
    let (kernels, file) = (kernels.to_str().unwrap(), build.join("libgpustream.so.0"));
    let file = file.to_str().unwrap();
    let expected = verdict(&run(&build.join("bin/pipeline"), &[file, "--backend", "host"]));
    assert!(expected.starts_with("CRC-32 "), "{expected}");
    for (streams, chunk) in [("1", "65536"), ("2", "100000"), ("3", "16384"), ("7", "250001"), ("6", "1073741824")] {
        let arguments = [file, "--streams", streams, "--chunk", chunk, "--kernels", kernels];
        assert_eq!(verdict(&rust(&arguments)), expected, "{streams} streams, chunks of {chunk}");
    }
}

#[test]
fn files_smaller_than_a_slice() {
    let build = build();
    let kernels = build.join("bin/pipeline_kernels.so");
    let folder = tempfile::tempdir().unwrap();
    for bytes in [1_usize, 2, 16383, 16384, 16385] {
        let file = folder.path().join("file");
        std::fs::write(&file, (0..bytes).map(|i| (i % 251) as u8).collect::<Vec<_>>()).unwrap();
        let file = file.to_str().unwrap();
        let expected = verdict(&run(&build.join("bin/pipeline"), &[file, "--backend", "host"]));
        assert_eq!(verdict(&rust(&[file, "--kernels", kernels.to_str().unwrap()])), expected, "{bytes} bytes");
    }
}

#[test]
fn failures_have_a_text_and_a_status() {
    let build = build();
    let file = build.join("libgpustream.so.0");
    let file = file.to_str().unwrap();
    let fails = |arguments: &[&str], wanted: &str| {
        let output = rust(arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(wanted), "{text}");
    };
    fails(&[], "usage");
    fails(&[file, "--streams", "0"], "usage");
    fails(&[file, "--streams", "many"], "invalid digit");
    fails(&["/nonexistent/file"], "No such file");
    fails(&["/dev/null"], "the file is empty");
    fails(&[file, "--kernels", "/nonexistent.so"], "gs_module_load");
    let other = build.join("tests/parity/libgpustream_parity_native.so");
    fails(&[file, "--kernels", other.to_str().unwrap()], "crc_and_histogram");
}

/// A kernel whose numbers are all zero.
#[test]
fn wrong_result_is_noticed() {
    let build = build();
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("wrong.c"), folder.path().join("wrong.so"));
    std::fs::write(
        &source,
        "void crc_and_histogram(const void *context, void **arguments) { (void)context; (void)arguments; }",
    )
    .unwrap();
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let built = Command::new(compiler).args(["-shared", "-fPIC", "-o"]).arg(&object).arg(&source).status();
    assert!(built.unwrap().success());
    let file = build.join("libgpustream.so.0");
    let output = rust(&[file.to_str().unwrap(), "--kernels", object.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the result is wrong"));
}
