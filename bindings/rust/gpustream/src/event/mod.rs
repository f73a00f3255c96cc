// SPDX-License-Identifier: Apache-2.0
//! Events: marks in streams that streams and threads wait for.

mod builder;
mod flags;
mod ipc;
mod owned;
mod work;

pub use builder::EventBuilder;
pub use flags::EventFlags;
pub use ipc::IpcHandle;
pub use owned::Event;
