// SPDX-License-Identifier: Apache-2.0
//! A result that one thread sets and one task waits for.

use std::task::{Poll, Waker};

use crate::error::Result;

#[cfg(loom)]
use loom::sync::Mutex;
#[cfg(not(loom))]
use std::sync::Mutex;

pub(crate) struct Signal {
    state: Mutex<State>,
}

enum State {
    Pending(Option<Waker>),
    Done(Result<()>),
}

impl Signal {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State::Pending(None)) }
    }

    /// Sets the result and wakes the task. Wakers run arbitrary code, so this happens outside the lock.
    pub(crate) fn complete(&self, result: Result<()>) {
        let before = std::mem::replace(&mut *self.lock(), State::Done(result));
        if let State::Pending(Some(waker)) = before {
            waker.wake();
        }
    }

    pub(crate) fn is_set(&self) -> bool {
        matches!(*self.lock(), State::Done(_))
    }

    /// By one task at a time. Cloning and dropping wakers runs arbitrary code, too.
    pub(crate) fn poll(&self, waker: &Waker) -> Poll<Result<()>> {
        match &*self.lock() {
            State::Done(result) => return Poll::Ready(result.clone()),
            State::Pending(Some(kept)) if kept.will_wake(waker) => return Poll::Pending,
            State::Pending(_) => {}
        }
        let waker = waker.clone();
        let (result, _unused) = match &mut *self.lock() {
            State::Done(result) => (Poll::Ready(result.clone()), Some(waker)),
            State::Pending(kept) => (Poll::Pending, kept.replace(waker)),
        };
        result
    }

    #[cfg(not(loom))]
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // Only this crate's code runs under the lock, so no panic leaves the state half changed.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    #[cfg(loom)]
    fn lock(&self) -> loom::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::mem::ManuallyDrop;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc::channel;
    use std::task::{RawWaker, RawWakerVTable, Wake};
    use std::time::Duration;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicU32);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn wakes_the_last_waker_only() {
        let signal = Signal::new();
        let (first, second) = (Arc::new(Count::default()), Arc::new(Count::default()));
        assert!(signal.poll(&first.clone().into()).is_pending());
        assert!(signal.poll(&second.clone().into()).is_pending());
        signal.complete(Ok(()));
        assert_eq!((first.0.load(Ordering::Relaxed), second.0.load(Ordering::Relaxed)), (0, 1));
        assert_eq!(signal.poll(&first.into()), Poll::Ready(Ok(())));
    }

    /// A waker whose functions use the signal, as an executor does that takes a lock of its own in them.
    fn using(signal: &Arc<Signal>) -> Waker {
        unsafe fn clone(signal: *const ()) -> RawWaker {
            // SAFETY: the waker's reference, which stays its own.
            let signal = ManuallyDrop::new(unsafe { Arc::from_raw(signal.cast::<Signal>()) });
            let _ = signal.is_set();
            raw(Arc::clone(&signal))
        }
        unsafe fn drop(signal: *const ()) {
            // SAFETY: the waker's reference, which ends here.
            let _ = unsafe { Arc::from_raw(signal.cast::<Signal>()) }.is_set();
        }
        fn raw(signal: Arc<Signal>) -> RawWaker {
            static FUNCTIONS: RawWakerVTable = RawWakerVTable::new(clone, drop, drop, drop);
            RawWaker::new(Arc::into_raw(signal).cast(), &FUNCTIONS)
        }
        // SAFETY: the functions keep to the contract: each waker has a reference; waking by reference is not used.
        unsafe { Waker::from_raw(raw(signal.clone())) }
    }

    #[test]
    fn wakers_are_cloned_and_dropped_outside_the_lock() {
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || {
            let (signal, other) = (Arc::new(Signal::new()), Arc::new(Count::default()));
            assert!(signal.poll(&using(&signal)).is_pending());
            assert!(signal.poll(&other.into()).is_pending());
            assert!(signal.poll(&using(&signal)).is_pending());
            signal.complete(Ok(()));
            sender.send(Arc::strong_count(&signal)).unwrap();
        });
        let references = receiver.recv_timeout(Duration::from_secs(20)).expect("a waker waits for the lock");
        assert_eq!(references, 1);
        thread.join().unwrap();
    }

    #[test]
    fn result_is_kept_without_a_waiting_task() {
        let signal = Signal::new();
        signal.complete(Ok(()));
        assert_eq!(signal.poll(Waker::noop()), Poll::Ready(Ok(())));
    }

    #[test]
    fn threads() {
        for _ in 0..50 {
            let signal = Arc::new(Signal::new());
            let other = signal.clone();
            let thread = std::thread::spawn(move || other.complete(Ok(())));
            let count = Arc::new(Count::default());
            let waker = count.clone().into();
            let early = signal.poll(&waker);
            thread.join().unwrap();
            // Either the poll saw the result, or the task was woken.
            assert!(early.is_ready() || count.0.load(Ordering::Relaxed) == 1);
            assert!(signal.poll(&waker).is_ready());
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use loom::future::block_on;
    use loom::sync::Arc;

    use super::*;

    #[test]
    fn no_wake_is_lost() {
        loom::model(|| {
            let signal = Arc::new(Signal::new());
            let other = signal.clone();
            let thread = loom::thread::spawn(move || other.complete(Ok(())));
            block_on(std::future::poll_fn(|context| signal.poll(context.waker()))).unwrap();
            thread.join().unwrap();
        });
    }

    #[test]
    fn task_that_changes_its_waker() {
        loom::model(|| {
            let signal = Arc::new(Signal::new());
            let other = signal.clone();
            let thread = loom::thread::spawn(move || other.complete(Ok(())));
            let early = signal.poll(Waker::noop());
            block_on(std::future::poll_fn(|context| signal.poll(context.waker()))).unwrap();
            thread.join().unwrap();
            drop(early);
        });
    }
}
