// SPDX-License-Identifier: Apache-2.0
//! A fixed number of streams that a program's parts share on purpose.

use std::num::NonZeroUsize;
use std::ops::Index;
use std::slice;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Stream, StreamBuilder};
use crate::error::Result;

/// A fixed number of streams, given out by their index or in turn; from [`StreamBuilder::build_pool`].
///
/// For programs that spread work over a few streams and need them more often than there are streams. `pool[i]` is the same
/// stream for the same `i`. [`next_stream`](Self::next_stream) takes turns; another part of the program may get the
/// same stream. Threads may share a pool. The streams end with it.
#[derive(Debug)]
pub struct StreamPool {
    streams: Box<[Stream]>,
    turns: AtomicUsize,
}

impl StreamPool {
    /// How many streams there are; never 0.
    #[expect(clippy::len_without_is_empty, reason = "a pool has at least one stream")]
    pub fn len(&self) -> usize {
        self.streams.len()
    }

    /// The streams, each once.
    pub fn iter(&self) -> slice::Iter<'_, Stream> {
        self.streams.iter()
    }

    /// The next stream in turn, on whatever thread.
    pub fn next_stream(&self) -> &Stream {
        &self[self.turns.fetch_add(1, Ordering::Relaxed)]
    }
}

impl Index<usize> for StreamPool {
    type Output = Stream;

    /// The stream with that index, modulo [`len`](StreamPool::len).
    fn index(&self, index: usize) -> &Stream {
        &self.streams[index % self.streams.len()]
    }
}

impl<'a> IntoIterator for &'a StreamPool {
    type Item = &'a Stream;
    type IntoIter = slice::Iter<'a, Stream>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl StreamBuilder {
    /// Creates a pool of `size` streams with these options, all of them or none. On [`Device::CURRENT`](crate::Device)
    /// that is one device for all. Blocks as [`build`](Self::build).
    pub fn build_pool(self, size: NonZeroUsize) -> Result<StreamPool> {
        let streams = (0..size.get()).map(|_| self.build()).collect::<Result<_>>()?;
        Ok(StreamPool { streams, turns: AtomicUsize::new(0) })
    }
}
