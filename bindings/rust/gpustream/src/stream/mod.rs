// SPDX-License-Identifier: Apache-2.0
//! Streams: ordered queues of device work.
//!
//! [`StreamRef`] has the operations, its owners are [`Stream`] and [`BorrowedStream`].

mod borrowed;
mod builder;
mod current;
mod future;
mod memory;
mod owned;
mod reference;
mod work;

pub use borrowed::BorrowedStream;
pub use builder::{StreamBuilder, StreamFlags};
pub use current::{CURRENT, StreamGuard};
pub use future::Finished;
pub use owned::Stream;
pub use reference::{StreamRef, StreamTriple};
