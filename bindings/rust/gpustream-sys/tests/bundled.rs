// SPDX-License-Identifier: Apache-2.0
//! The bundled library is found in the build folder, and beside a program that was moved.
#![cfg(feature = "bundled")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use gpustream_sys as sys;

const CASE: &str = "GPUSTREAM_BUNDLED_CASE";
const NAME: &str = "libgpustream.so.0";

/// Runs a copy of this program, or the program itself, and returns the path of the library that it uses.
fn path_used_by(program: &Path, named: Option<&Path>) -> PathBuf {
    let mut command = Command::new(program);
    command.args(["--exact", "prints_its_library", "--nocapture"]).env(CASE, "1");
    command.env_remove("LD_LIBRARY_PATH").env_remove("GPUSTREAM_LIBRARY");
    if let Some(named) = named {
        command.env("GPUSTREAM_LIBRARY", named);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let line = text.lines().find_map(|line| line.split_once("library is ")).expect("the program prints the path");
    PathBuf::from(line.1)
}

fn built() -> PathBuf {
    path_used_by(&env::current_exe().unwrap(), None)
}

#[test]
fn prints_its_library() {
    let path = sys::library_path().unwrap();
    assert!(path.ends_with(NAME), "{}", path.display());
    if env::var_os(CASE).is_some() {
        println!("library is {}", path.display());
    }
}

#[test]
fn it_lies_in_the_build_folder() {
    let path = built();
    assert!(path.components().any(|part| part.as_os_str() == "build"), "{}", path.display());
    // SAFETY: no arguments.
    let version = unsafe { sys::api().unwrap().gs_version() }.unwrap();
    let own = sys::GS_VERSION_MAJOR * 10000 + sys::GS_VERSION_MINOR * 100 + sys::GS_VERSION_PATCH;
    assert_eq!(version, own, "core/ has the version of this crate");
}

#[test]
fn one_that_is_named_wins() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join(NAME);
    fs::copy(built(), &copy).unwrap();
    assert_eq!(path_used_by(&env::current_exe().unwrap(), Some(&copy)), copy);
}

#[test]
fn a_program_that_is_moved_takes_the_one_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("bin/program");
    fs::create_dir_all(folder.path().join("bin")).unwrap();
    fs::create_dir_all(folder.path().join("lib")).unwrap();
    fs::copy(env::current_exe().unwrap(), &program).unwrap();

    fs::copy(built(), folder.path().join("lib").join(NAME)).unwrap();
    assert_eq!(path_used_by(&program, None), folder.path().join("bin/../lib").join(NAME));
    fs::copy(built(), folder.path().join("bin").join(NAME)).unwrap();
    assert_eq!(path_used_by(&program, None), folder.path().join("bin").join(NAME));
}
