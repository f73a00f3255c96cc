// SPDX-License-Identifier: Apache-2.0
//! Streams, events and memory shared with cudarc, in both directions.
//!
//! Runs on the fake driver: the program starts itself again with an environment in which cudarc and gpustream load it.
//! With `GPUSTREAM_TEST_BACKEND=cuda` it runs on the machine's driver. Gates hold the first operation, so that a
//! violated order is visible.

mod checks;
mod conversions;
#[path = "../../../gpustream/tests/support/mod.rs"]
mod support;

use std::env;
use std::process::ExitCode;

use gpustream_checks::{DRIVER, restart_on_fake_driver};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if matches!(env::var(DRIVER).as_deref(), Err(_) | Ok("fake")) {
        restart_on_fake_driver();
    }
    let mut arguments = Arguments::from_args();
    // The checks share one context, and gates hold streams of it.
    arguments.test_threads = Some(1);
    let trial = |(name, check): (&str, fn())| {
        let run = move || {
            check();
            Ok(())
        };
        Trial::test(name, run)
    };
    let all = checks::ALL.into_iter().chain(conversions::ALL);
    libtest_mimic::run(&arguments, all.map(trial).collect()).exit_code()
}
