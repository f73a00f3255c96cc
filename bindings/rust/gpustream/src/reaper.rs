// SPDX-License-Identifier: Apache-2.0
//! A thread that does what a `Drop` may not: free what may make the driver wait for a device.

use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};

use gpustream_sys as sys;

use crate::callback::contain;

type Task = Box<dyn FnOnce() + Send>;

/// Runs a task later, in order, on the reaper's thread. It waits for no work itself, as all others stand behind it. Where
/// there can be no thread, and in a forked child, it is forgotten: what it would have freed is leaked, which is always
/// sound.
pub(crate) fn defer(task: impl FnOnce() + Send + 'static) {
    static QUEUE: OnceLock<Option<Sender<Task>>> = OnceLock::new();
    // Before the queue is looked at: a thread that the child does not have may have been changing it.
    if forked() {
        return std::mem::forget(task);
    }
    let task: Task = Box::new(task);
    match QUEUE.get_or_init(start) {
        Some(queue) => {
            if let Err(lost) = queue.send(task) {
                std::mem::forget(lost.0);
            }
        }
        None => std::mem::forget(task),
    }
}

/// Whether this is a forked child of a process that may have a reaper. What comes here was made by a started backend, so
/// the library knows; it answers without a lock.
fn forked() -> bool {
    let mut status = sys::GS_FORK_CLEAN;
    // SAFETY: the output is a local variable.
    let told = sys::loaded().map(|api| unsafe { api.gs_fork_status(&raw mut status) });
    // Without a library nothing was started.
    told.is_some_and(|told| told != Ok(sys::GS_OK) || status != sys::GS_FORK_CLEAN)
}

fn start() -> Option<Sender<Task>> {
    let (sender, receiver) = channel::<Task>();
    let body = move || {
        block_signals();
        for task in receiver {
            contain(task);
        }
    };
    std::thread::Builder::new().name("gpustream-reaper".into()).spawn(body).ok()?;
    Some(sender)
}

/// Signals are for the program's own threads.
#[cfg(not(miri))]
fn block_signals() {
    // SAFETY: the set is a local variable, filled before it is used; only the calling thread's mask changes.
    unsafe {
        let mut all = std::mem::zeroed::<libc::sigset_t>();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, std::ptr::null_mut());
    }
}

#[cfg(miri)]
fn block_signals() {}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::defer;

    #[test]
    fn tasks_run_in_order_also_after_one_that_panics() {
        let (sender, receiver) = channel();
        let (first, last) = (sender.clone(), sender);
        defer(move || first.send(1).unwrap());
        defer(|| std::panic::resume_unwind(Box::new("quiet")));
        defer(move || last.send(2).unwrap());
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
    }
}
