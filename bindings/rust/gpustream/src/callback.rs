// SPDX-License-Identifier: Apache-2.0
//! Trampolines: Rust functions behind C function pointers. They contain panics, which must not unwind through C.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use gpustream_sys::{self as sys, gs_host_fn, gs_notify_fn, gs_status_t};

use crate::error::{Error, Result};
use crate::status::Status;

/// Runs a function of the user's; `None` if it panicked. The panic hook has reported the panic by then.
pub(crate) fn contain<R>(function: impl FnOnce() -> R) -> Option<R> {
    match catch_unwind(AssertUnwindSafe(function)) {
        Ok(result) => Some(result),
        Err(payload) => {
            discard(payload);
            None
        }
    }
}

/// Drops the payload of a panic. Its destructor is user code and may panic with another such payload; after a few
/// rounds the payload is leaked.
fn discard(mut payload: Box<dyn Any + Send>) {
    for _ in 0..8 {
        match catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            Ok(()) => return,
            Err(next) => payload = next,
        }
    }
    std::mem::forget(payload);
}

/// Ends what [`registered`] has boxed.
///
/// # Safety
///
/// `arg` comes from `registered::<F>` and is not used afterwards.
pub(crate) unsafe fn from_arg<F>(arg: *mut c_void) -> F {
    // SAFETY: the caller's obligation.
    *unsafe { Box::from_raw(arg.cast::<F>()) }
}

/// Passes the trampoline and its argument to `register`; if that fails, the function is dropped uncalled.
pub(crate) fn register_host<F: FnOnce() + Send + 'static>(
    function: F,
    register: impl FnOnce(gs_host_fn, *mut c_void) -> Result<()>,
) -> Result<()> {
    registered(function, |arg| register(Some(run_host::<F>), arg)).map(|_| ())
}

/// Boxes a value for C, passes where it is to `register` and returns that. Exactly one `from_arg` ends it: in a trampoline, or
/// here if `register` fails.
pub(crate) fn registered<F>(value: F, register: impl FnOnce(*mut c_void) -> Result<()>) -> Result<*mut c_void> {
    let arg = Box::into_raw(Box::new(value)).cast();
    match register(arg) {
        Ok(()) => Ok(arg),
        Err(error) => {
            // SAFETY: after a failure the library does not keep the argument.
            drop(unsafe { from_arg::<F>(arg) });
            Err(error)
        }
    }
}

/// A function that the library calls any number of times, on any thread. It stays when another one replaces it, as a thread may
/// still be in it.
#[repr(C)] // the function first: C's argument points to it
struct Forever<F> {
    function: F,
    before: *mut c_void,
}

/// As [`register_host`], for a function to which the argument then points as long as the process lives.
pub(crate) fn register_forever<F: Send + Sync + 'static>(
    function: F,
    register: impl FnOnce(*mut c_void) -> Result<()>,
) -> Result<()> {
    /// Keeps all of them reachable.
    static LAST: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    registered(Forever { function, before: null_mut() }, |arg| {
        register(arg)?;
        let before = LAST.swap(arg, Ordering::AcqRel);
        // SAFETY: nothing else accesses this field.
        unsafe { (&raw mut (*arg.cast::<Forever<F>>()).before).write(before) };
        Ok(())
    })
    .map(|_| ())
}

unsafe extern "C" fn run_host<F: FnOnce()>(arg: *mut c_void) {
    // SAFETY: the library calls this once, with the argument from `register_host`.
    let function = unsafe { from_arg::<F>(arg) };
    contain(function);
}

/// As [`register_host`], for a function that takes the result of the work.
pub(crate) fn register_notify<F: FnOnce(Result<()>) + Send + 'static>(
    function: F,
    register: impl FnOnce(gs_notify_fn, *mut c_void) -> Result<()>,
) -> Result<()> {
    registered(function, |arg| register(Some(run_notify::<F>), arg)).map(|_| ())
}

unsafe extern "C" fn run_notify<F: FnOnce(Result<()>)>(arg: *mut c_void, status: gs_status_t) {
    // SAFETY: the library calls this once, with the argument from `register_notify`.
    let function = unsafe { from_arg::<F>(arg) };
    contain(|| {
        function(match status {
            sys::GS_OK => Ok(()),
            // The error record, if there is one, belongs to another thread.
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
            // SAFETY: called once, as the library does.
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
    fn panic_is_contained() {
        register_notify(
            |result| {
                assert_eq!(result, Ok(()));
                std::panic::resume_unwind(Box::new("quiet"));
            },
            |run, arg| {
                // SAFETY: called once, as the library does.
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
