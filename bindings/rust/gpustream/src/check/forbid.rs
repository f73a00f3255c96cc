// SPDX-License-Identifier: Apache-2.0
//! Threads that may not wait.

use std::marker::PhantomData;

use crate::call::{api, read};
use crate::error::Result;

/// Until it is dropped, calls of this thread that would wait for device work return
/// [`SYNC_FORBIDDEN`](crate::Status::SYNC_FORBIDDEN) and wait for nothing. Guards nest; a guard stays on its thread.
/// Futures go on: they block no thread.
///
/// ```
/// use gpustream::{ForbidSync, Status, Stream};
///
/// let stream = Stream::new()?;
/// {
///     let _guard = ForbidSync::new()?;
///     assert_eq!(stream.synchronize().unwrap_err().status(), Status::SYNC_FORBIDDEN);
/// }
/// stream.synchronize()?;
/// # Ok::<(), gpustream::Error>(())
/// ```
#[must_use = "waits are forbidden only while the guard lives"]
#[derive(Debug)]
pub struct ForbidSync {
    before: i32,
    /// It is thread state, so the guard is neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl ForbidSync {
    /// Forbids waits. Does not block.
    pub fn new() -> Result<Self> {
        let before = read!(gs_forbid_sync(1))?;
        Ok(Self { before, here: PhantomData })
    }
}

impl Drop for ForbidSync {
    fn drop(&mut self) {
        if let Ok(api) = api() {
            let mut ended = 0;
            // SAFETY: the output is a local variable. It fails for no argument given here.
            let _ = unsafe { api.gs_forbid_sync(self.before, &raw mut ended) };
        }
    }
}
