// SPDX-License-Identifier: Apache-2.0
//! Messages that have no caller to be returned to.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, PoisonError, RwLock, TryLockError};

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

/// A process's logger. Kept here, not behind C's argument: one that is replaced may still be running on another thread.
struct Slot {
    process: u32,
    logger: RwLock<Option<Logger>>,
}

/// This process's slot. A forked child cannot use its parent's: a thread that it does not have may have held the lock.
fn slot() -> &'static Slot {
    /// Never freed: another thread may look at it. There is one per generation of forked processes.
    static SLOT: AtomicPtr<Slot> = AtomicPtr::new(null_mut());
    let process = std::process::id();
    let mut seen = SLOT.load(Ordering::Acquire);
    loop {
        // SAFETY: null or a slot, none of which is freed.
        let inherited = match unsafe { seen.as_ref() } {
            None => None,
            Some(slot) if slot.process == process => return slot,
            Some(slot) => match slot.logger.try_read() {
                Ok(logger) => logger.clone(),
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().clone(),
                // The fork came while the parent was setting it; which one holds cannot be told, so there is none.
                Err(TryLockError::WouldBlock) => None,
            },
        };
        let own = Box::into_raw(Box::new(Slot { process, logger: RwLock::new(inherited) }));
        match SLOT.compare_exchange(seen, own, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: never freed from now on.
            Ok(_) => return unsafe { &*own },
            Err(other) => {
                // SAFETY: nobody else has seen it.
                drop(unsafe { Box::from_raw(own) });
                seen = other;
            }
        }
    }
}

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
    let mut kept = slot().logger.write().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the function lives as long as the program and needs no argument.
    check(unsafe { api.gs_set_log_callback(function, null_mut()) })?;
    let previous = std::mem::replace(&mut *kept, logger);
    drop(kept);
    drop(previous); // outside the lock: its destructor is the user's
    Ok(())
}

unsafe extern "C" fn pass_on(_: *mut c_void, level: i32, text: *const c_char) {
    let logger = slot().logger.read().unwrap_or_else(PoisonError::into_inner).clone();
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
    // The last reference, if it was replaced meanwhile. Apart from the call: a destructor that panics during a panic ends
    // the process.
    contain(move || drop(logger));
}
