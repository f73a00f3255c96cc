// SPDX-License-Identifier: Apache-2.0
//! Timelines: numbers that only grow, which streams and threads signal and wait for.

mod owned;
mod wait;
mod work;

pub use owned::Timeline;
