// SPDX-License-Identifier: Apache-2.0
//! Events: marks in streams that streams and threads wait for.

mod arrow;
mod builder;
mod ipc;
mod owned;
mod work;

pub use arrow::ArrowSyncEvent;
pub use builder::EventBuilder;
pub use ipc::IpcHandle;
pub use owned::{Event, EventFlags};
pub use work::{HostTime, UnrecordedMode, set_unrecorded_mode, unrecorded_mode};
