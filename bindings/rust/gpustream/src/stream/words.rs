// SPDX-License-Identifier: Apache-2.0
//! Words of memory that streams write and wait for.

use gpustream_sys::{
    GS_VALUE_32, GS_VALUE_AND, GS_VALUE_EQ, GS_VALUE_FLUSH, GS_VALUE_GEQ, GS_VALUE_NO_BARRIER, GS_VALUE_NOR,
};

use super::StreamRef;
use crate::call::{api, check};
use crate::error::Result;

/// What [`StreamRef::write_value`] writes: `u32` and `u64`.
pub trait Word: sealed::Word {}
impl Word for u32 {}
impl Word for u64 {}

mod sealed {
    pub trait Word: Copy + Into<u64> {
        const WIDTH: u32;
    }
    impl Word for u32 {
        const WIDTH: u32 = super::GS_VALUE_32;
    }
    impl Word for u64 {
        const WIDTH: u32 = 0;
    }
}

/// What [`StreamRef::wait_value`] waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum WordCondition {
    /// The word is at least the value, cyclically: the signed difference is not negative.
    GreaterEqual = GS_VALUE_GEQ,
    /// The word equals the value.
    Equal = GS_VALUE_EQ,
    /// The word has one of the value's bits.
    And = GS_VALUE_AND,
    /// Some bit is 0 in both the word and the value: `!(word | value)` is not 0.
    Nor = GS_VALUE_NOR,
}

impl StreamRef {
    /// Writes a word of memory when the work submitted so far is done: for flags of the program's own, which other
    /// streams, devices or threads watch. A [`Timeline`](crate::Timeline) is the safer tool: it keeps its order, can be
    /// aborted, and its circles are found. Does not block.
    ///
    /// ```
    /// use gpustream::{HostBuffer, Stream, WordCondition};
    ///
    /// let (writer, waiter) = (Stream::new()?, Stream::new()?);
    /// let mut memory = HostBuffer::new(8)?;
    /// let word: *mut u64 = memory.as_mut_ptr().cast();
    /// // SAFETY: the word is aligned, and lives until both streams are synchronized.
    /// unsafe {
    ///     waiter.wait_value(word, WordCondition::Equal, 7)?;
    ///     writer.write_value(word, 7)?;
    /// }
    /// waiter.synchronize()?;
    /// writer.synchronize()?;
    /// # Ok::<(), gpustream::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// `word` is in a [`HostBuffer`](crate::HostBuffer) or a device's memory, valid until the write is done, and other
    /// accesses until then are atomic or come from streams.
    pub unsafe fn write_value<W: Word>(&self, word: *mut W, value: W) -> Result<()> {
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_stream_write_value(self.as_handle(), word.cast(), value.into(), W::WIDTH) })
    }

    /// As [`write_value`](Self::write_value), but the stream's earlier writes need not be visible to those who see the
    /// word change.
    ///
    /// # Safety
    ///
    /// As [`write_value`](Self::write_value).
    pub unsafe fn write_value_without_barrier<W: Word>(&self, word: *mut W, value: W) -> Result<()> {
        let flags = W::WIDTH | GS_VALUE_NO_BARRIER;
        // SAFETY: the caller's obligation.
        check(unsafe { api()?.gs_stream_write_value(self.as_handle(), word.cast(), value.into(), flags) })
    }

    /// Makes work submitted to this stream from now on wait until a word of memory meets a condition. The library cannot
    /// know what writes the word. If no write meets the condition, the stream stays so, and so does everything that waits
    /// for the stream. The caller does not block.
    ///
    /// # Safety
    ///
    /// `word` is in a [`HostBuffer`](crate::HostBuffer) or a device's memory, valid until the condition is met, and
    /// accesses of threads until then are atomic.
    pub unsafe fn wait_value<W: Word>(&self, word: *const W, condition: WordCondition, value: W) -> Result<()> {
        let flags = W::WIDTH | condition as u32;
        // SAFETY: the caller's obligation. The word is only read.
        check(unsafe { api()?.gs_stream_wait_value(self.as_handle(), word.cast_mut().cast(), value.into(), flags) })
    }

    /// As [`wait_value`](Self::wait_value). What other devices wrote before the word is visible to the work that follows.
    ///
    /// # Safety
    ///
    /// As [`wait_value`](Self::wait_value).
    pub unsafe fn wait_value_and_flush<W: Word>(
        &self,
        word: *const W,
        condition: WordCondition,
        value: W,
    ) -> Result<()> {
        let flags = W::WIDTH | condition as u32 | GS_VALUE_FLUSH;
        // SAFETY: the caller's obligation. The word is only read.
        check(unsafe { api()?.gs_stream_wait_value(self.as_handle(), word.cast_mut().cast(), value.into(), flags) })
    }
}
