// SPDX-License-Identifier: Apache-2.0
//! Executes a program on several threads in turn, and lets the oracle judge the observed order.

use std::array::from_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gpustream::{CURRENT, Device, Event, Stream};

use super::oracle::{Marks, Oracle, bit};
use super::program::{EVENTS, MARKS, Op, STREAMS, Step, THREADS};

/// Calls that are left out to see whether the oracle detects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    LosesWaits,
    LosesRecords,
    LosesStreamWaits,
}

impl Fault {
    fn loses(self, op: Op) -> bool {
        matches!(
            (self, op),
            (Self::LosesWaits, Op::WaitEvent { .. })
                | (Self::LosesRecords, Op::Record { .. })
                | (Self::LosesStreamWaits, Op::WaitStream { .. })
        )
    }
}

/// State shared by the host functions and the program.
struct Seen {
    clock: AtomicU64,
    numbers: [AtomicU64; MARKS],
    open: Mutex<Marks>,
    opened: Condvar,
}

impl Seen {
    fn ran(&self, mark: usize) {
        self.numbers[mark].store(self.clock.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
    }

    fn wait_for_gate(&self, mark: usize) {
        let closed = |open: &mut Marks| *open & bit(mark) == 0;
        let open = self.opened.wait_timeout_while(self.open.lock().unwrap(), Duration::from_secs(60), closed).unwrap();
        if !open.1.timed_out() {
            self.ran(mark);
        }
    }

    fn numbers(&self) -> [u64; MARKS] {
        from_fn(|mark| self.numbers[mark].load(Ordering::SeqCst))
    }
}

struct State {
    streams: [Stream; STREAMS],
    events: [Event; EVENTS],
    /// The intended order, and the order of the calls that were made.
    wanted: Oracle,
    made: Oracle,
    closed: Marks,
    /// Replaced streams that may still have work.
    old: Vec<Stream>,
    seen: Arc<Seen>,
}

/// Each event belongs to one device, odd ones to the second.
fn device(index: usize) -> Device {
    Device::new((index % 2) as u16)
}

fn new_stream(index: usize) -> Stream {
    Stream::builder().device(device(index)).build().unwrap()
}

impl State {
    fn new() -> Self {
        let seen = Seen {
            clock: AtomicU64::new(0),
            numbers: from_fn(|_| AtomicU64::new(0)),
            open: Mutex::new(0),
            opened: Condvar::new(),
        };
        Self {
            streams: from_fn(new_stream),
            events: from_fn(|_| Event::new().unwrap()),
            wanted: Oracle::new(),
            made: Oracle::new(),
            closed: 0,
            old: Vec::new(),
            seen: Arc::new(seen),
        }
    }

    fn step(&mut self, step: Step, fault: Fault) -> Result<(), String> {
        let op = match step.op {
            // An event cannot be recorded on the other device.
            Op::Record { event, stream } => Op::Record { event: event / 2 * 2 + stream % 2, stream },
            op => op,
        };
        if !fault.loses(op) {
            self.call(op, step.through_current)?;
            self.made.submitted(op);
        }
        self.wanted.submitted(op);
        Ok(())
    }

    fn call(&mut self, op: Op, through_current: bool) -> Result<(), String> {
        let seen = self.seen.clone();
        match op {
            Op::Work { stream, mark } => {
                // SAFETY: takes a number.
                unsafe { self.streams[stream].launch_host(move || seen.ran(mark)) }.unwrap();
            }
            Op::Hold { stream, mark } => {
                self.closed |= bit(mark);
                // SAFETY: waits for a gate that a later step opens.
                unsafe { self.streams[stream].launch_host(move || seen.wait_for_gate(mark)) }.unwrap();
            }
            Op::Open { mark } => self.open(mark),
            Op::Record { event, stream } if through_current => {
                self.streams[stream].with(|| self.events[event].record(CURRENT)).unwrap().unwrap();
            }
            Op::Record { event, stream } => self.events[event].record(&self.streams[stream]).unwrap(),
            Op::WaitEvent { stream, event } if through_current => {
                self.streams[stream].with(|| CURRENT.wait_event(&self.events[event])).unwrap().unwrap();
            }
            Op::WaitEvent { stream, event } => self.events[event].wait(&self.streams[stream]).unwrap(),
            Op::WaitStream { stream, other } => self.streams[stream].wait_stream(&self.streams[other]).unwrap(),
            Op::QueryEvent { event } if self.events[event].query().unwrap() => {
                return self.all_ran(self.wanted.events[event], "a query said an event was done");
            }
            Op::QueryStream { stream } if self.streams[stream].query().unwrap() => {
                return self.all_ran(self.wanted.streams[stream], "a query said a stream was done");
            }
            Op::SyncEvent { event } if self.made.events[event] & self.closed == 0 => {
                self.events[event].synchronize().unwrap();
                return self.all_ran(self.wanted.events[event], "synchronizing an event returned");
            }
            Op::SyncStream { stream } if self.made.streams[stream] & self.closed == 0 => {
                self.streams[stream].synchronize().unwrap();
                return self.all_ran(self.wanted.streams[stream], "synchronizing a stream returned");
            }
            Op::RenewEvent { event } => self.events[event] = Event::new().unwrap(),
            Op::RenewStream { stream } => {
                let renewed = new_stream(stream);
                // A second reference for the end; the first is dropped with its work pending.
                self.old.push(self.streams[stream].clone());
                self.streams[stream] = renewed;
            }
            Op::QueryEvent { .. } | Op::QueryStream { .. } | Op::SyncEvent { .. } | Op::SyncStream { .. } => {}
        }
        Ok(())
    }

    /// Waits until everything that may run has run before a gate opens, so that work that failed to wait for the gate
    /// is detected.
    fn open(&mut self, mark: usize) {
        for (stream, behind) in self.streams.iter().zip(self.made.streams) {
            if behind & self.closed == 0 {
                stream.synchronize().unwrap();
            }
        }
        for _ in 0..20 {
            thread::yield_now();
        }
        self.closed &= !bit(mark);
        *self.seen.open.lock().unwrap() |= bit(mark);
        self.seen.opened.notify_all();
    }

    fn all_ran(&self, marks: Marks, what: &str) -> Result<(), String> {
        let numbers = self.seen.numbers();
        match (0..MARKS).find(|mark| marks & bit(*mark) != 0 && numbers[*mark] == 0) {
            Some(mark) => Err(format!("{what}, but {mark} had not run")),
            None => Ok(()),
        }
    }

    fn finish(&self) -> Result<(), String> {
        for stream in self.streams.iter().chain(&self.old) {
            stream.synchronize().unwrap();
        }
        let done = self.events.iter().all(|event| event.query().unwrap());
        if !done {
            return Err("an event was not done at the end".into());
        }
        self.wanted.judge(&self.seen.numbers())
    }

    /// Opens all gates, so that no work waits after a failure.
    fn open_all(&self) {
        *self.seen.open.lock().unwrap() = Marks::MAX;
        self.seen.opened.notify_all();
    }
}

pub fn execute(program: &[Step], fault: Fault) -> Result<(), String> {
    let state = Mutex::new(State::new());
    let result = thread::scope(|scope| {
        let (answer, answers) = channel();
        let threads: Vec<Sender<Step>> = (0..THREADS)
            .map(|_| {
                let (to, steps): (Sender<Step>, Receiver<Step>) = channel();
                let (state, answer) = (&state, answer.clone());
                scope.spawn(move || {
                    for step in steps {
                        answer.send(state.lock().unwrap().step(step, fault)).unwrap();
                    }
                });
                to
            })
            .collect();
        drop(answer); // so that the end of a thread is noticed
        program.iter().try_for_each(|step| {
            threads[step.thread].send(*step).unwrap();
            answers.recv().unwrap_or_else(|_| Err("a thread panicked".into()))
        })
    });
    let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.open_all();
    let end = state.finish();
    result.and(end)
}
