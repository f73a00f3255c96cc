// SPDX-License-Identifier: Apache-2.0
//! Log messages: warnings, and failures that cannot be returned to a caller.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, PoisonError, RwLock, TryLockError};

use gpustream_sys as sys;

use crate::call::{api, check};
use crate::callback::contain;
use crate::error::Result;
use crate::numbers::open;

sys::for_each_enumerator! {
    log_level, open,
    /// Severity of a message.
    LogLevel
}

type Logger = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;

/// The logger of a process. Kept here rather than in C's argument, since a replaced logger may still be running on
/// another thread.
struct Slot {
    process: u32,
    logger: RwLock<Option<Logger>>,
}

/// The slot of this process. In a forked child, a thread that the child lacks may hold the lock of the parent's slot.
fn slot() -> &'static Slot {
    /// Never freed, since another thread may be reading it. There is one per generation of forked processes.
    static SLOT: AtomicPtr<Slot> = AtomicPtr::new(null_mut());
    let process = std::process::id();
    let mut seen = SLOT.load(Ordering::Acquire);
    loop {
        // SAFETY: null, or a slot, which is never freed.
        let inherited = match unsafe { seen.as_ref() } {
            None => None,
            Some(slot) if slot.process == process => return slot,
            Some(slot) => match slot.logger.try_read() {
                Ok(logger) => logger.clone(),
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().clone(),
                // The fork happened while the parent was setting the logger, so which one is valid is unknown.
                Err(TryLockError::WouldBlock) => None,
            },
        };
        let own = Box::into_raw(Box::new(Slot { process, logger: RwLock::new(inherited) }));
        match SLOT.compare_exchange(seen, own, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: the slot is shared now and never freed.
            Ok(_) => return unsafe { &*own },
            Err(other) => {
                // SAFETY: the exchange failed, so no other thread has seen the slot.
                drop(unsafe { Box::from_raw(own) });
                seen = other;
            }
        }
    }
}

/// Sets the function that receives warnings and failures of `drop`, for the whole process. `None` restores the default:
/// warnings and errors go to stderr.
///
/// The function may be called on any thread, including those of the library, and must not call gpustream. A panic in it
/// is contained. When this call returns, the previous function may still be running on another thread.
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
    drop(previous); // outside the lock: its destructor is user code
    Ok(())
}

unsafe extern "C" fn pass_on(_: *mut c_void, level: i32, text: *const c_char) {
    let logger = slot().logger.read().unwrap_or_else(PoisonError::into_inner).clone();
    let Some(logger) = logger else { return };
    // SAFETY: the text is NUL-terminated and valid during the call.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    let level = LogLevel::from_number(level);
    contain(|| logger(level, &text));
    // Possibly the last reference, if the logger was replaced during the call. Contained separately: a destructor that
    // panics during a panic aborts the process.
    contain(move || drop(logger));
}
