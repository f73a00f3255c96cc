// SPDX-License-Identifier: Apache-2.0
//! Values that graphs keep, and functions that they call. Both live behind pointers of C until the graph, its
//! executables and their launches have ended.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gpustream_sys::gs_host_fn;

use crate::callback::{contain, from_arg, registered};
use crate::error::Result;

/// Moves a value behind a pointer, which it returns, and passes the function that drops it to `keep`; if that fails, drops it
/// here.
pub(super) fn into_kept<T: Send + 'static>(
    value: T,
    keep: impl FnOnce(gs_host_fn, *mut c_void) -> Result<()>,
) -> Result<*mut c_void> {
    registered(value, |arg| keep(Some(release::<T>), arg))
}

unsafe extern "C" fn release<T>(arg: *mut c_void) {
    // SAFETY: the library calls this once, with the argument from `into_kept`.
    let value = unsafe { from_arg::<T>(arg) };
    contain(|| drop(value));
}

/// The function of a host node. It may run in launches of several executables at the same time.
pub(crate) unsafe extern "C" fn call<F: Fn() + Send + Sync + 'static>(arg: *mut c_void) {
    // SAFETY: the graph keeps the function as long as a launch may call it.
    let function = unsafe { &*arg.cast::<F>() };
    contain(function);
}

/// A function on its way into a capture, which another thread may end at any time. A stream that has left the capture would
/// run the function at once, although its graph is gone and its caller has vouched for nothing.
pub(crate) struct Captured<F> {
    function: F,
    /// Whether it is known to be in the graph. Until then a call does nothing.
    known: AtomicBool,
}

impl<F: Fn() + Send + Sync + 'static> Captured<F> {
    pub(crate) fn new(function: F) -> Arc<Self> {
        Arc::new(Self { function, known: AtomicBool::new(false) })
    }

    /// Puts the function, which the graph of a capture keeps, into a stream by `launch`; then asks `is_captured` whether
    /// the stream still takes part in that capture, so that the function is a part of the graph. Otherwise, or if that is
    /// unknown, the function is leaked, as the stream may come to it at any time, and does nothing when called.
    pub(crate) fn put(
        self: Arc<Self>,
        launch: impl FnOnce(unsafe extern "C" fn(*mut c_void), *mut c_void) -> Result<()>,
        is_captured: impl FnOnce() -> Result<bool>,
    ) -> Result<bool> {
        let arg = Arc::into_raw(self);
        if let Err(error) = launch(Self::call, arg.cast_mut().cast()) {
            // SAFETY: the reference from above. After a failure the library does not use the argument.
            drop(unsafe { Arc::from_raw(arg) });
            return Err(error);
        }
        if !is_captured()? {
            return Ok(false);
        }
        // SAFETY: the reference from above. The graph has another one.
        let this = unsafe { Arc::from_raw(arg) };
        this.known.store(true, Ordering::Release);
        Ok(true)
    }

    unsafe extern "C" fn call(arg: *mut c_void) {
        // SAFETY: the graph keeps the function as long as a launch may call it; in a stream that was no longer captured it
        // is leaked.
        let this = unsafe { &*arg.cast::<Self>() };
        if this.known.load(Ordering::Acquire) {
            contain(&this.function);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::AtomicU32;

    use super::*;
    use crate::error::Error;
    use crate::status::Status;

    #[test]
    fn kept_value_is_dropped_once_by_the_library() {
        let owned = Arc::new(());
        let mut kept = (None, std::ptr::null_mut());
        let at = into_kept(owned.clone(), |release, arg| {
            kept = (release, arg);
            Ok(())
        });
        assert_eq!((at.unwrap(), Arc::strong_count(&owned)), (kept.1, 2));
        // SAFETY: called once, as the library does.
        unsafe { kept.0.unwrap()(kept.1) };
        assert_eq!(Arc::strong_count(&owned), 1);
    }

    /// Puts a function into a stream that calls it at once and, if its graph still lives, at a launch. Returns what came of
    /// it, how often the function ran, and how many references to it are left but for the graph's.
    fn put(launched: Result<()>, captured: Result<bool>) -> (Result<bool>, u32, usize) {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let function = Captured::new(move || _ = counted.fetch_add(1, Ordering::Relaxed));
        let (mut graph, left) = (Some(function.clone()), Arc::downgrade(&function));
        let node = Cell::new(None::<(unsafe extern "C" fn(*mut c_void), *mut c_void)>);
        let result = function.put(
            |call, arg| {
                if launched.is_ok() {
                    node.set(Some((call, arg)));
                }
                launched
            },
            || {
                graph = graph.take().filter(|_| captured == Ok(true));
                if let (Some((call, arg)), None) = (node.get(), &graph) {
                    // SAFETY: as the stream does that is no longer captured.
                    unsafe { call(arg) };
                }
                captured
            },
        );
        if let (Some((call, arg)), true) = (node.get(), left.strong_count() > 0) {
            // SAFETY: as a launch does.
            unsafe { call(arg) };
        }
        drop(graph);
        let leaked = left.strong_count();
        for _ in 0..leaked {
            // SAFETY: a reference that has been leaked. Nothing calls the function any more.
            unsafe { Arc::decrement_strong_count(left.as_ptr()) };
        }
        assert_eq!(Arc::strong_count(&count), 1);
        (result, count.load(Ordering::Relaxed), leaked)
    }

    #[test]
    fn captured_function_is_called_only_if_it_is_known_to_be_in_the_graph() {
        let error = Error::new(Status::INVALID_HANDLE, "test", "refused");
        assert_eq!(put(Ok(()), Ok(true)), (Ok(true), 1, 0));
        assert_eq!(put(Ok(()), Ok(false)), (Ok(false), 0, 1), "leaked: the stream may call it at any time");
        assert_eq!(put(Ok(()), Err(error.clone())), (Err(error.clone()), 0, 1));
        assert_eq!(put(Err(error.clone()), Ok(true)), (Err(error), 0, 0));
    }

    #[test]
    fn function_is_called_again_and_again_and_its_panic_contained() {
        fn run<F: Fn() + Send + Sync + 'static>(function: &F) {
            // SAFETY: the function outlives the call.
            unsafe { call::<F>((&raw const *function).cast_mut().cast()) };
        }
        let count = AtomicU32::new(0);
        let function = move || {
            if count.fetch_add(1, Ordering::Relaxed) == 1 {
                std::panic::resume_unwind(Box::new("quiet"));
            }
        };
        run(&function);
        run(&function);
        run(&function);
    }
}
