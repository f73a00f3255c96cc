// SPDX-License-Identifier: Apache-2.0
//! Timelines of several processes: the same one in this process, in another one, and when that dies.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use gpustream::{Device, IpcHandle, Result, Status, Stream, Timeline};

fn status<T: std::fmt::Debug>(result: Result<T>) -> Status {
    result.unwrap_err().status()
}

#[test]
fn same_process_gets_the_same_one() {
    let timeline = Timeline::interprocess(Device::CURRENT, 3).unwrap();
    let name = timeline.ipc_export().unwrap();
    let same = Timeline::ipc_open(Device::CURRENT, &IpcHandle::from_bytes(*name.as_bytes())).unwrap();
    assert_eq!(same, timeline);
    same.set(4).unwrap();
    assert_eq!(timeline.value(), Ok(4));
    drop(same);
    timeline.set(5).unwrap();
    drop(timeline);
    assert_eq!(status(Timeline::ipc_open(Device::CURRENT, &name)), Status::INVALID_HANDLE);
}

#[test]
fn wrong_arguments() {
    assert_eq!(status(Timeline::new().unwrap().ipc_export()), Status::INVALID_ARGUMENT);
    assert_eq!(status(Timeline::interprocess(Device::CURRENT, u64::MAX)), Status::INVALID_ARGUMENT);
    let nothing = IpcHandle::from_bytes([0; 64]);
    assert_eq!(status(Timeline::ipc_open(Device::CURRENT, &nothing)), Status::INVALID_ARGUMENT);
}

const CHILD: &str = "GPUSTREAM_TEST_SHARED_TIMELINE";

/// Waits for 1 in a stream, signals 2, and is here until it is killed.
fn be_the_other() -> ! {
    let text = env::var(CHILD).unwrap();
    let name = std::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap());
    let timeline = Timeline::ipc_open(Device::CURRENT, &IpcHandle::from_bytes(name)).unwrap();
    let stream = Stream::new().unwrap();
    timeline.wait(&stream, 1).unwrap();
    timeline.signal(&stream, 2).unwrap();
    println!("submitted");
    std::io::stdout().flush().unwrap();
    loop {
        std::thread::park();
    }
}

fn start_the_other(timeline: &Timeline) -> Child {
    let name = timeline.ipc_export().unwrap();
    let text: String = name.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "other_process_signals_and_dies", "--nocapture"])
        .env(CHILD, text)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(std::result::Result::unwrap);
    assert!(lines.any(|line| line.ends_with("submitted")));
    child
}

#[test]
fn other_process_signals_and_dies() {
    if env::var_os(CHILD).is_some() {
        be_the_other();
    }
    let timeline = Timeline::interprocess(Device::CURRENT, 0).unwrap();
    let mut child = start_the_other(&timeline);
    let stream = Stream::new().unwrap();
    timeline.wait(&stream, 2).unwrap();
    assert_eq!((stream.query(), timeline.value()), (Ok(false), Ok(0)));
    timeline.set(1).unwrap();
    timeline.synchronize(2).unwrap();
    stream.synchronize().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(status(timeline.synchronize(3)), Status::PEER_LOST);
    assert_eq!(status(timeline.ipc_export()), Status::PEER_LOST);
}
