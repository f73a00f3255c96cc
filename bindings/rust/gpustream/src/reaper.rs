// SPDX-License-Identifier: Apache-2.0
//! A thread that frees what a `Drop` must not, because freeing it may block on a device.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

use gpustream_sys as sys;

use crate::callback::contain;
use crate::thread;
use crate::thread::forked;

type Task = Box<dyn FnOnce() + Send>;

/// Runs a task later on the reaper's thread, in the order of the calls. A task must not wait for work, as all later
/// ones wait behind it. Where no thread can be started, and in a forked child, the task is forgotten: leaking what it
/// would have freed is always sound.
pub(crate) fn defer(task: impl FnOnce() + Send + 'static) {
    // Checked before the queue is touched: a thread that the child does not have may have been changing it.
    if forked() {
        return std::mem::forget(task);
    }
    let mut known = 0;
    hand_over(&mut known);
    let task: Task = Box::new(move || {
        hand_over(&mut known);
        task();
    });
    match queue() {
        Some(queue) => {
            if let Err(lost) = queue.send(task) {
                std::mem::forget(lost.0);
            }
        }
        None => std::mem::forget(task),
    }
}

/// Hands the caller's knowledge of completed work to the reaper: the ordering checker cannot see the queue. Without the
/// checker, and after a failure, nothing changes.
fn hand_over(clock: &mut u64) {
    if let Some(api) = sys::loaded() {
        // SAFETY: the number is the caller's.
        _ = unsafe { api.gs_check_handover(clock) };
    }
}

/// The queue of the thread, which the first task starts. A failure is not remembered: the next task tries again.
fn queue() -> Option<&'static Sender<Task>> {
    static QUEUE: OnceLock<Sender<Task>> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    if let Some(queue) = QUEUE.get() {
        return Some(queue);
    }
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(queue) = QUEUE.get() {
        return Some(queue);
    }
    let queue = start()?;
    Some(QUEUE.get_or_init(|| queue))
}

fn start() -> Option<Sender<Task>> {
    let (sender, receiver) = channel::<Task>();
    let body = move || {
        for task in receiver {
            contain(task);
        }
    };
    thread::start("gpustream-reaper", body).ok()?;
    Some(sender)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use std::sync::{Arc, Mutex};

    use super::defer;
    use crate::{CheckFlags, DeviceBuffer, HostBuffer, Stream, check_start, check_stop, set_check_callback};

    fn wait_for_reaper() {
        let (sender, receiver) = channel();
        defer(move || sender.send(()).unwrap());
        receiver.recv().unwrap();
    }

    #[test]
    fn it_knows_what_the_dropping_thread_has_waited_for() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let sink = reports.clone();
        set_check_callback(Some(move |text: &str, _: &str| sink.lock().unwrap().push(text.to_owned()))).unwrap();
        check_start(CheckFlags::empty()).unwrap();
        drop(HostBuffer::<u8>::zeroed(64).unwrap());
        wait_for_reaper(); // the checker knows the thread before the work begins
        let stream = Stream::new().unwrap();
        let (to, from) = (DeviceBuffer::<u8>::zeroed(&stream, 64).unwrap(), HostBuffer::<u8>::zeroed(64).unwrap());
        // SAFETY: both live until the stream is done.
        unsafe { stream.memcpy(to.as_ptr(), from.as_ptr().cast(), 64).unwrap() };
        stream.synchronize().unwrap();
        drop(from);
        wait_for_reaper();
        check_stop().unwrap();
        set_check_callback(None::<fn(&str, &str)>).unwrap();
        assert_eq!(*reports.lock().unwrap(), Vec::<String>::new());
    }

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
