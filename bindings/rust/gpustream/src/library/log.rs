// SPDX-License-Identifier: Apache-2.0
//! Messages that have no caller to be returned to.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, PoisonError, RwLock};

use gpustream_sys as sys;

use crate::call::{api, check};
use crate::callback::contain;
use crate::error::Result;

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LogLevel {
    /// A failure that had no caller.
    Error,
    /// Something works otherwise than probably meant.
    Warning,
    /// For the curious.
    Info,
    /// One that this crate does not know.
    Other(i32),
}

type Logger = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// Kept here, not behind C's argument: a logger that is replaced may still be running on another thread.
static LOGGER: RwLock<Option<Logger>> = RwLock::new(None);

/// Sets the function that receives warnings and failures while destroying, for the whole process; `None`: stderr.
///
/// It may be called on any thread, also on threads of the library, and must not call gpustream. A panic in it ends there.
/// When the call returns, the previous function may still be running.
///
/// ```
/// gpustream::set_log(Some(|level, text: &str| eprintln!("{level:?}: {text}")))?;
/// # Ok::<(), gpustream::Error>(())
/// ```
pub fn set_log<F: Fn(LogLevel, &str) + Send + Sync + 'static>(logger: Option<F>) -> Result<()> {
    let logger = logger.map(|logger| Arc::new(logger) as Logger);
    let function: sys::gs_log_fn = if logger.is_some() { Some(pass_on) } else { None };
    let api = api()?;
    let mut kept = LOGGER.write().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the function lives as long as the program and needs no argument.
    check(unsafe { api.gs_set_log_callback(function, null_mut()) })?;
    let previous = std::mem::replace(&mut *kept, logger);
    drop(kept);
    drop(previous); // outside the lock: its destructor is the user's
    Ok(())
}

unsafe extern "C" fn pass_on(_: *mut c_void, level: i32, text: *const c_char) {
    let logger = LOGGER.read().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(logger) = logger else { return };
    // SAFETY: the library gives a text that lives during the call.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let level = match level {
        sys::GS_LOG_ERROR => LogLevel::Error,
        sys::GS_LOG_WARNING => LogLevel::Warning,
        sys::GS_LOG_INFO => LogLevel::Info,
        other => LogLevel::Other(other),
    };
    contain(|| logger(level, &text));
}
