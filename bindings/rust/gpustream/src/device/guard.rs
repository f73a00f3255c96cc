// SPDX-License-Identifier: Apache-2.0
//! A device that is current for a scope.

use std::cell::{Cell, RefCell};
use std::marker::PhantomData;

use super::Device;
use crate::error::{Error, Result};
use crate::status::Status;

thread_local! {
    /// The numbers of the thread's guards, the innermost one last.
    static OPEN: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<u64> = const { Cell::new(0) };
}

/// How a guard ends.
#[derive(PartialEq)]
enum Place {
    Innermost,
    /// There were guards inside it, which have ended with it.
    Outer,
    /// It has ended with one outside it.
    Over,
}

/// Makes a device current until the guard is dropped, then restores the previous one without creating a context.
///
/// Current streams stay as they are; [`StreamGuard`](crate::StreamGuard) changes both. A guard stays on its thread. One
/// that is dropped before guards inside it ends those as well; they have no effect any more.
///
/// ```
/// use gpustream::{Device, DeviceGuard};
///
/// let before = Device::current()?;
/// {
///     let _guard = DeviceGuard::new(Device::new(1))?;
///     assert_eq!(Device::current()?, Device::new(1));
/// }
/// assert_eq!(Device::current()?, before);
/// # Ok::<(), gpustream::Error>(())
/// ```
#[must_use = "the device is current only while the guard lives"]
#[derive(Debug)]
pub struct DeviceGuard {
    previous: Device,
    number: u64,
    /// Current devices are thread state, so the guard is neither `Send` nor `Sync`.
    here: PhantomData<*const ()>,
}

impl DeviceGuard {
    /// Makes the device current. Does not block.
    pub fn new(device: Device) -> Result<Self> {
        let previous = device.exchange()?;
        let number = LAST.get() + 1;
        LAST.set(number);
        // The list has ended before thread-local guards of the program, which restore their devices all the same.
        let _ = OPEN.try_with(|open| open.borrow_mut().push(number));
        Ok(Self { previous, number, here: PhantomData })
    }

    /// The device that was current and will be again.
    pub fn previous(&self) -> Device {
        self.previous
    }

    /// Restores the previous device now and reports a failure, which `drop` ignores.
    ///
    /// [`SCOPE`](crate::Status::SCOPE): this is not the thread's innermost guard of a device; it ends all the same,
    /// with those inside it, unless it has ended with one outside it.
    pub fn exit(self) -> Result<()> {
        let (previous, place) = (self.previous, self.close());
        std::mem::forget(self);
        if place != Place::Over {
            previous.exchange()?;
        }
        if place == Place::Innermost {
            return Ok(());
        }
        Err(Error::new(Status::SCOPE, "DeviceGuard::exit", "this is not the innermost guard of a device"))
    }

    /// Takes the guard, and those inside it, off the thread's list.
    fn close(&self) -> Place {
        let close = |open: &RefCell<Vec<u64>>| {
            let mut open = open.borrow_mut();
            let Some(index) = open.iter().rposition(|number| *number == self.number) else { return Place::Over };
            let inner = open.len() - index - 1;
            open.truncate(index);
            if inner == 0 { Place::Innermost } else { Place::Outer }
        };
        OPEN.try_with(close).unwrap_or(Place::Innermost)
    }
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        if self.close() != Place::Over {
            // `exit` is for callers that need the result.
            let _ = self.previous.exchange();
        }
    }
}
