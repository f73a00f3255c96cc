// SPDX-License-Identifier: Apache-2.0
//! Waiting for work: with a time limit, for one of several events, and in async code.

mod blocking;
mod future;
mod reactor;
mod signal;
mod values;

pub use blocking::{WaitMode, set_wait_mode, wait_mode};
pub use future::Finished;
