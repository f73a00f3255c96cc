// SPDX-License-Identifier: Apache-2.0
//! Happens-before as sets of marks, derived from the meaning of the calls.

use super::program::{EVENTS, MARKS, Op, STREAMS};

/// A bit for each mark.
pub type Marks = u64;

pub const fn bit(mark: usize) -> Marks {
    1 << mark
}

#[derive(Clone)]
pub struct Oracle {
    /// Per stream: the marks before the next work submitted to it.
    pub streams: [Marks; STREAMS],
    /// Per event: the marks that its current record covers.
    pub events: [Marks; EVENTS],
    /// Per mark: the marks before it.
    before: [Marks; MARKS],
}

impl Oracle {
    pub fn new() -> Self {
        Self { streams: [0; STREAMS], events: [0; EVENTS], before: [0; MARKS] }
    }

    pub fn submitted(&mut self, op: Op) {
        match op {
            Op::Work { stream, mark } | Op::Hold { stream, mark } => {
                self.before[mark] = self.streams[stream];
                self.streams[stream] |= bit(mark);
            }
            Op::Record { event, stream } => self.events[event] = self.streams[stream],
            Op::WaitEvent { stream, event } => self.streams[stream] |= self.events[event],
            Op::WaitStream { stream, other } => self.streams[stream] |= self.streams[other],
            Op::RenewEvent { event } => self.events[event] = 0,
            Op::RenewStream { stream } => self.streams[stream] = 0,
            Op::Open { .. }
            | Op::QueryEvent { .. }
            | Op::QueryStream { .. }
            | Op::SyncEvent { .. }
            | Op::SyncStream { .. } => {}
        }
    }

    /// `numbers` holds the position at which each mark ran, from 1, or 0 if it did not run.
    pub fn judge(&self, numbers: &[u64; MARKS]) -> Result<(), String> {
        for (mark, &number) in numbers.iter().enumerate().filter(|(_, number)| **number != 0) {
            for earlier in (0..MARKS).filter(|earlier| self.before[mark] & bit(*earlier) != 0) {
                if numbers[earlier] == 0 || numbers[earlier] > number {
                    return Err(format!("{mark} ran as number {number}, {earlier} as {}", numbers[earlier]));
                }
            }
        }
        Ok(())
    }
}
