// SPDX-License-Identifier: Apache-2.0
//! Paths of the tree and of its build, for the tests.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The top of the tree.
pub fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// A file of the core's build; panics with its name if it is missing.
pub fn built(path: &str) -> PathBuf {
    let folder = env::var_os("GPUSTREAM_BUILD_DIR").expect("GPUSTREAM_BUILD_DIR names the build folder of the core");
    let file = PathBuf::from(folder).join(path);
    assert!(file.is_file(), "{} is missing: build the core and its tests first", file.display());
    file
}

/// The variable that selects the driver of a program: `fake` or `cuda`; unset in the first process.
pub const DRIVER: &str = "GPUSTREAM_TEST_BACKEND";

/// Starts this program again so that gpustream and cudarc load the fake driver: the system's loader reads its path only
/// when a program starts.
pub fn restart_on_fake_driver() -> ! {
    let driver = built("tests/support/fake_cuda/driver/libcuda.so.1");
    let error = Command::new(env::current_exe().expect("a path"))
        .args(env::args_os().skip(1))
        .env("LD_LIBRARY_PATH", driver.parent().expect("a folder"))
        .env("GPUSTREAM_LIBCUDA", &driver)
        .env("GPUSTREAM_BACKEND", "cuda")
        .env(DRIVER, "fake-started")
        .exec();
    panic!("cannot start this program again: {error}");
}

/// Compiles and runs the guide's Rust programs.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/guide/rust.md")]
#[doc = include_str!("../../../../docs/guide/graphs.md")]
#[doc = include_str!("../../../../docs/guide/async.md")]
#[doc = include_str!("../../../../docs/guide/memory.md")]
#[doc = include_str!("../../../../docs/guide/timelines.md")]
struct Guide;
