// SPDX-License-Identifier: Apache-2.0
//! Values that graphs keep, and functions that they call. Both live behind pointers of C until the graph, its
//! executables and their launches have ended.

use std::ffi::c_void;

use gpustream_sys::gs_host_fn;

use crate::callback::contain;
use crate::error::Result;

/// Moves a value behind a pointer and passes the function that drops it to `keep`; if that fails, drops it here.
pub(super) fn into_kept<T: Send + 'static>(
    value: T,
    keep: impl FnOnce(gs_host_fn, *mut c_void) -> Result<()>,
) -> Result<*mut c_void> {
    let arg: *mut c_void = Box::into_raw(Box::new(value)).cast();
    match keep(Some(release::<T>), arg) {
        Ok(()) => Ok(arg),
        Err(error) => {
            // SAFETY: after a failure the library does not call the function, and nothing else has the pointer.
            drop(unsafe { Box::from_raw(arg.cast::<T>()) });
            Err(error)
        }
    }
}

unsafe extern "C" fn release<T>(arg: *mut c_void) {
    // SAFETY: the library calls this once, with the argument from `into_kept`.
    let value = unsafe { Box::from_raw(arg.cast::<T>()) };
    contain(|| drop(value));
}

/// The function of a host node. It may run in launches of several executables at the same time.
pub(crate) unsafe extern "C" fn call<F: Fn() + Send + Sync + 'static>(arg: *mut c_void) {
    // SAFETY: the graph keeps the function as long as a launch may call it.
    let function = unsafe { &*arg.cast::<F>() };
    contain(function);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

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

    #[test]
    fn refused_value_is_dropped_at_once() {
        let owned = Arc::new(());
        let error = Error::new(Status::INVALID_HANDLE, "test", "refused");
        assert_eq!(into_kept(owned.clone(), |_, _| Err(error.clone())), Err(error));
        assert_eq!(Arc::strong_count(&owned), 1);
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
