// SPDX-License-Identifier: Apache-2.0
//! Rust functions behind C function pointers. No panic passes them: it would have to unwind through C.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use gpustream_sys::{self as sys, gs_host_fn, gs_notify_fn, gs_status_t};

use crate::error::{Error, Result};
use crate::status::Status;

/// Runs a function of the user's; a panic was reported by the panic hook and ends here.
pub(crate) fn contain<R>(function: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(function)) {
        Ok(result) => Some(result),
        Err(payload) => {
            discard(payload);
            None
        }
    }
}

/// Drops what a panic threw. Its destructor is the user's code again and may panic in turn, with something that does the
/// same; after a few rounds that is given up.
fn discard(mut payload: Box<dyn Any + Send>) {
    for _ in 0..8 {
        match catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            Ok(()) => return,
            Err(next) => payload = next,
        }
    }
    std::mem::forget(payload);
}

/// A boxed function on its way through C; exactly one of `run_…` and `take_back` ends it.
fn into_arg<F>(function: F) -> *mut c_void {
    Box::into_raw(Box::new(function)).cast()
}

/// # Safety
///
/// `arg` comes from `into_arg::<F>` and is used only here.
unsafe fn from_arg<F>(arg: *mut c_void) -> F {
    // SAFETY: the caller's.
    *unsafe { Box::from_raw(arg.cast::<F>()) }
}

/// Gives the function and its argument to `register`; if that fails, the function is dropped uncalled.
pub(crate) fn register_host<F: FnOnce() + Send + 'static>(
    function: F,
    register: impl FnOnce(gs_host_fn, *mut c_void) -> Result<()>,
) -> Result<()> {
    let arg = into_arg(function);
    register(Some(run_host::<F>), arg).inspect_err(|_| {
        // SAFETY: after a failure nobody else has it.
        drop(unsafe { from_arg::<F>(arg) });
    })
}

unsafe extern "C" fn run_host<F: FnOnce()>(arg: *mut c_void) {
    // SAFETY: the library calls once, with what `register_host` gave it.
    let function = unsafe { from_arg::<F>(arg) };
    contain(function);
}

/// As [`register_host`], for a function that is told how the work ended.
pub(crate) fn register_notify<F: FnOnce(Result<()>) + Send + 'static>(
    function: F,
    register: impl FnOnce(gs_notify_fn, *mut c_void) -> Result<()>,
) -> Result<()> {
    let arg = into_arg(function);
    register(Some(run_notify::<F>), arg).inspect_err(|_| {
        // SAFETY: after a failure nobody else has it.
        drop(unsafe { from_arg::<F>(arg) });
    })
}

unsafe extern "C" fn run_notify<F: FnOnce(Result<()>)>(arg: *mut c_void, status: gs_status_t) {
    // SAFETY: the library calls once, with what `register_notify` gave it.
    let function = unsafe { from_arg::<F>(arg) };
    contain(|| {
        function(match status {
            sys::GS_OK => Ok(()),
            // The record of the failure, if any, is another thread's.
            other => Err(Error::bare(Status(other), "gs_stream_notify")),
        });
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    struct Counted(Arc<AtomicU32>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn function_is_called_and_dropped_once() {
        let (called, dropped) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let (count, owned) = (called.clone(), Counted(dropped.clone()));
        let function = move || {
            let _owned = &owned;
            count.fetch_add(1, Ordering::Relaxed);
        };
        register_host(function, |run, arg| {
            // SAFETY: once, as the library does.
            unsafe { run.unwrap()(arg) };
            Ok(())
        })
        .unwrap();
        assert_eq!((called.load(Ordering::Relaxed), dropped.load(Ordering::Relaxed)), (1, 1));
    }

    #[test]
    fn refused_function_is_dropped_uncalled() {
        let dropped = Arc::new(AtomicU32::new(0));
        let owned = Counted(dropped.clone());
        let function = move |_| unreachable!("{}", owned.0.load(Ordering::Relaxed));
        let error = Error::new(Status::INVALID_HANDLE, "test", "refused");
        assert_eq!(register_notify(function, |_, _| Err(error.clone())), Err(error));
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn panic_stays_on_this_side() {
        register_notify(
            |result| {
                assert_eq!(result, Ok(()));
                std::panic::resume_unwind(Box::new("quiet"));
            },
            |run, arg| {
                // SAFETY: once, as the library does.
                unsafe { run.unwrap()(arg, sys::GS_OK) };
                Ok(())
            },
        )
        .unwrap();
    }

    #[test]
    fn panic_with_a_payload_that_panics_when_dropped() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("dropped");
            }
        }
        assert_eq!(contain(|| std::panic::panic_any(Bomb)), None::<()>);
    }
}
