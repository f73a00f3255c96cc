// SPDX-License-Identifier: Apache-2.0
//! How threads wait.

use gpustream_sys as sys;

use crate::error::Result;
use crate::library::{option, set_option};
use crate::numbers::closed;

sys::for_each_wait_mode! {
    closed,
    /// How threads wait in blocking calls, for the whole process.
    WaitMode
}

/// Sets how threads wait in blocking calls, for the whole process; initially the environment variable `GPUSTREAM_WAIT`
/// says so. Waits that have begun are not affected.
pub fn set_wait_mode(mode: WaitMode) -> Result<()> {
    set_option(sys::GS_OPTION_WAIT_MODE, mode as i32)
}

/// How threads wait in blocking calls.
pub fn wait_mode() -> Result<WaitMode> {
    option(sys::GS_OPTION_WAIT_MODE, WaitMode::from_number)
}
