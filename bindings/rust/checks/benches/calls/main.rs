// SPDX-License-Identifier: Apache-2.0
//! Each call in three ways, in one run: the C function through its table (`c`), the safe crate (`gpustream`), and
//! cudarc where it has an equivalent.
//!
//! On the host backend there is no cudarc. `GPUSTREAM_TEST_BACKEND=fake` runs on the fake driver, `=cuda` on the
//! machine's. `table.py` prints the results as a table.

mod c;
mod cudarc_calls;
mod safe;

use std::env;

use criterion::Criterion;
use gpustream_checks::{DRIVER, restart_on_fake_driver};

fn main() {
    let driver = env::var(DRIVER).ok();
    if driver.as_deref() == Some("fake") {
        restart_on_fake_driver();
    }
    let mut criterion = Criterion::default().configure_from_args();
    c::bench(&mut criterion);
    safe::bench(&mut criterion);
    if driver.is_some() {
        cudarc_calls::bench(&mut criterion);
    }
    criterion.final_summary();
}
