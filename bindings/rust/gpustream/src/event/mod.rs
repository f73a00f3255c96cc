// SPDX-License-Identifier: Apache-2.0
//! Events: marks in streams that streams and threads wait for.

mod arrow;
mod builder;
mod flags;
mod ipc;
mod owned;
mod strict;
mod time;
mod work;

pub use arrow::ArrowSyncEvent;
pub use builder::EventBuilder;
pub use flags::EventFlags;
pub use ipc::IpcHandle;
pub use owned::Event;
pub use strict::{UnrecordedMode, set_unrecorded_mode, unrecorded_mode};
pub use time::HostTime;
