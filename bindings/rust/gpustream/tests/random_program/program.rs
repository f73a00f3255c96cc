// SPDX-License-Identifier: Apache-2.0
//! Programs and their generator.

pub const STREAMS: usize = 4;
pub const EVENTS: usize = 4;
pub const THREADS: usize = 3;
/// Maximum number of closed gates: each occupies a worker of the host backend.
pub const GATES: usize = 3;
/// Marks: host functions and gates each have a bit in the oracle's sets.
pub const MARKS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A host function that takes the next position.
    Work {
        stream: usize,
        mark: usize,
    },
    /// The stream waits until the gate is opened.
    Hold {
        stream: usize,
        mark: usize,
    },
    /// Opens a gate that was submitted before.
    Open {
        mark: usize,
    },
    Record {
        event: usize,
        stream: usize,
    },
    WaitEvent {
        stream: usize,
        event: usize,
    },
    WaitStream {
        stream: usize,
        other: usize,
    },
    QueryEvent {
        event: usize,
    },
    QueryStream {
        stream: usize,
    },
    /// Only where no closed gate would block it.
    SyncEvent {
        event: usize,
    },
    SyncStream {
        stream: usize,
    },
    /// Dropped and created again, often with the same slot and driver object.
    RenewEvent {
        event: usize,
    },
    RenewStream {
        stream: usize,
    },
}

/// An operation, its thread, and whether it names the stream or makes it current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub op: Op,
    pub thread: usize,
    pub through_current: bool,
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("below n")
    }
}

pub fn generate(seed: u64) -> Vec<Step> {
    let mut random = Random(seed);
    let mut steps = Vec::new();
    let (mut marks, mut closed) = (0, Vec::new());
    let length = 20 + random.below(60);
    while steps.len() < length && marks < MARKS {
        let (stream, event) = (random.below(STREAMS), random.below(EVENTS));
        let op = match random.below(100) {
            0..25 => {
                marks += 1;
                Op::Work { stream, mark: marks - 1 }
            }
            25..32 if closed.len() < GATES => {
                marks += 1;
                closed.push(marks - 1);
                Op::Hold { stream, mark: marks - 1 }
            }
            32..38 if !closed.is_empty() => Op::Open { mark: closed.remove(random.below(closed.len())) },
            38..56 => Op::Record { event, stream },
            56..72 => Op::WaitEvent { stream, event },
            72..79 => Op::WaitStream { stream, other: random.below(STREAMS) },
            79..85 => Op::QueryEvent { event },
            85..89 => Op::QueryStream { stream },
            89..92 => Op::SyncEvent { event },
            92..95 => Op::SyncStream { stream },
            95..97 => Op::RenewEvent { event },
            97..99 => Op::RenewStream { stream },
            _ => continue,
        };
        steps.push(Step { op, thread: random.below(THREADS), through_current: random.below(4) == 0 });
    }
    for mark in closed {
        steps.push(Step { op: Op::Open { mark }, thread: 0, through_current: false });
    }
    steps
}
