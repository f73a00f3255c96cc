// SPDX-License-Identifier: Apache-2.0
//! Streams: ordered queues of device work.
//!
//! [`StreamRef`] has the operations; [`Stream`] and [`BorrowedStream`] hold references.

mod borrowed;
mod builder;
mod current;
mod memory;
mod owned;
mod pool;
mod reference;
mod words;
mod work;

pub use borrowed::BorrowedStream;
pub use builder::{PriorityLevel, StreamBuilder};
pub use current::{CURRENT, StreamGuard};
pub use memory::{AccessOrder, MemoryCopy};
pub use owned::Stream;
pub use pool::StreamPool;
pub use reference::{StreamFlags, StreamRef, StreamTriple};
pub use words::{Word, WordCondition};
