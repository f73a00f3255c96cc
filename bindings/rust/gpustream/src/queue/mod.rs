// SPDX-License-Identifier: Apache-2.0
//! Queues of completions: the end of work in any number of streams, as entries to be taken.

mod descriptor;
mod entry;
mod owned;

pub use descriptor::QueueFd;
pub use entry::Completion;
pub use owned::CompletionQueue;
