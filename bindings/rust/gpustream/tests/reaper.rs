// SPDX-License-Identifier: Apache-2.0
//! The thread that frees what drops must not. It is started once per process, so this is a single test.

mod support;

use std::fs;

use gpustream::HostBuffer;
use support::until;

/// Whether the process has a thread whose name begins so.
fn has_thread(name: &str) -> bool {
    let threads = fs::read_dir("/proc/self/task").unwrap();
    let names = threads.filter_map(|thread| fs::read_to_string(thread.unwrap().path().join("comm")).ok());
    names.into_iter().any(|found| found.starts_with(name))
}

/// Limits the address space to what the process uses now and a little more, so that no stack for a thread fits.
fn limit_memory() -> libc::rlimit {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let kilobytes: u64 = size.trim().trim_end_matches(" kB").parse().unwrap();
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the output is a local variable.
    assert_eq!(unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut before) }, 0);
    set_limit(libc::rlimit { rlim_cur: kilobytes * 1024 + (1 << 20), ..before });
    before
}

fn set_limit(limit: libc::rlimit) {
    // SAFETY: the struct outlives the call.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }, 0);
}

#[test]
fn thread_that_could_not_be_started_is_started_later() {
    let [first, second] = [(); 2].map(|()| HostBuffer::new(64).unwrap());
    let before = limit_memory();
    drop(first);
    set_limit(before);
    assert!(!has_thread("gpustream-reap"), "there was memory for it");
    drop(second);
    until(|| has_thread("gpustream-reap"));
}
