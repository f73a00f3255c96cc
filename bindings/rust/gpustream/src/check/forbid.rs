// SPDX-License-Identifier: Apache-2.0
//! Threads that may not wait.

use std::cell::Cell;
use std::marker::PhantomData;

use crate::call::{api, read};
use crate::error::Result;

thread_local! {
    /// How many guards the thread has, and what held before the first of them.
    static OPEN: Cell<(u32, i32)> = const { Cell::new((0, 0)) };
}

/// Until it is dropped, calls of this thread that would wait for device work return
/// [`SYNC_FORBIDDEN`](crate::Status::SYNC_FORBIDDEN) and wait for nothing. Several guards may be dropped
/// in any order: the last one ends that. A guard stays on its thread. Futures go on: they block no thread.
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
    /// It is thread state, so the guard is neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl ForbidSync {
    /// Forbids waits. Does not block.
    pub fn new() -> Result<Self> {
        let now = read!(gs_forbid_sync(1))?;
        let (count, before) = OPEN.get();
        OPEN.set((count + 1, if count == 0 { now } else { before }));
        Ok(Self { here: PhantomData })
    }
}

impl Drop for ForbidSync {
    fn drop(&mut self) {
        let (count, before) = OPEN.get();
        OPEN.set((count - 1, before));
        if count > 1 {
            return;
        }
        if let Ok(api) = api() {
            let mut ended = 0;
            // SAFETY: the output is a local variable. It fails for no argument given here.
            let _ = unsafe { api.gs_forbid_sync(before, &raw mut ended) };
        }
    }
}
