// SPDX-License-Identifier: Apache-2.0
//! What must have run before what: sets of marks, as the calls' meaning gives them.

use super::program::{EVENTS, MARKS, Op, STREAMS};

/// A bit for each mark.
pub type Marks = u64;

pub const fn bit(mark: usize) -> Marks {
    1 << mark
}

#[derive(Clone)]
pub struct Oracle {
    /// What work submitted to the stream next comes after.
    pub streams: [Marks; STREAMS],
    /// What the event's present record covers.
    pub events: [Marks; EVENTS],
    /// What each mark comes after.
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

    /// `numbers`: when each mark ran, from 1; 0: it did not.
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
