// SPDX-License-Identifier: Apache-2.0
//! Stream captures: recording the work of streams as a graph.

mod guard;
mod info;
mod stream;

pub use guard::Capture;
pub use info::{CaptureBreak, CaptureInfo, CaptureMode, CaptureState};
