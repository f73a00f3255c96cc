// SPDX-License-Identifier: Apache-2.0
//! Processes that end while futures are pending. Each is this program again, with the case in the environment.

mod support;

use std::env;
use std::future::Future;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Wake};

use gpustream::{Finished, Timeline};
use support::Held;

const CASE: &str = "GPUSTREAM_TEST_EXIT";

struct Exits;
impl Wake for Exits {
    fn wake(self: Arc<Self>) {
        std::process::exit(0);
    }
}

fn poll(future: &mut Finished) {
    assert!(Pin::new(future).poll(&mut Context::from_waker(&Arc::new(Exits).into())).is_pending());
}

fn park() -> ! {
    loop {
        std::thread::park();
    }
}

fn run(case: &str) {
    let held = Held::new();
    match case {
        "pending" => {
            let finished = held.stream.finished().unwrap();
            std::mem::forget((finished, held));
            std::process::exit(0);
        }
        // The work ends while the process does.
        "ending" => {
            for _ in 0..100 {
                poll(&mut held.stream.finished().unwrap());
                // Neither dropped nor cancelled: still pending at the exit.
                std::mem::forget(held.stream.finished().unwrap());
            }
            let kept = held.stream.finished().unwrap();
            held.gate.open();
            drop(kept);
            std::process::exit(0);
        }
        // The thread of the futures is the one that exits.
        "inside" => {
            let mut finished = held.stream.finished().unwrap();
            poll(&mut finished);
            held.gate.open();
            park();
        }
        // A thread waits in the library for a value that never comes.
        "value" => {
            let timeline = Timeline::new().unwrap();
            let mut reached = timeline.reached(1).unwrap();
            poll(&mut reached);
            std::process::exit(0);
        }
        // That thread is the one that exits.
        "inside a value" => {
            let timeline = Timeline::new().unwrap();
            let mut reached = timeline.reached(1).unwrap();
            poll(&mut reached);
            timeline.set(1).unwrap();
            park();
        }
        other => panic!("no case {other}"),
    }
}

#[test]
fn exit_waits_for_nothing() {
    if let Ok(case) = env::var(CASE) {
        return run(&case);
    }
    for case in ["pending", "ending", "inside", "value", "inside a value"] {
        for _ in 0..5 {
            let mut command = Command::new(env::current_exe().unwrap());
            let mut child = command.arg("exit_waits_for_nothing").env(CASE, case).spawn().unwrap();
            let deadline = std::time::Instant::now() + support::PATIENCE;
            let ended = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                if std::time::Instant::now() > deadline {
                    child.kill().unwrap();
                    panic!("{case}: the process did not end");
                }
                std::thread::yield_now();
            };
            assert!(ended.success(), "{case}: {ended}");
        }
    }
}
