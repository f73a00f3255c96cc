// SPDX-License-Identifier: Apache-2.0
//! What changes of executables bring in and the library does not own: functions of host nodes.
//!
//! An executable keeps what its graph kept when it was made or last updated, and nothing can be added to that later. So
//! each graph is made to keep a list before that, and changes add to the list.

use std::any::Any;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use super::GraphRef;
use crate::error::{Error, Result};

#[derive(Default)]
pub(super) struct Holds {
    /// Whether the graph keeps this list.
    tied: Mutex<bool>,
    values: Mutex<Vec<Box<dyn Any + Send>>>,
}

impl Holds {
    /// From here on, executables that are made or updated from the graph keep this list until their launches have ended.
    pub(super) fn tie(self: &Arc<Self>, graph: &GraphRef) -> Result<()> {
        let mut tied = self.tied.lock().unwrap_or_else(PoisonError::into_inner);
        if !*tied {
            graph.keep(self.clone())?;
            *tied = true;
        }
        Ok(())
    }

    /// Holds a value if `used_by`, which gets its address, succeeds; otherwise returns it, since its destructor must not
    /// run under a lock.
    pub(super) fn add<T: Send + 'static>(
        &self,
        mut value: Box<T>,
        used_by: impl FnOnce(*mut c_void) -> Result<()>,
    ) -> std::result::Result<(), (Error, Box<T>)> {
        let address = (&raw mut *value).cast();
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        // Growing the list may fail, and must not do so once a launch can use the value.
        values.reserve(1);
        match used_by(address) {
            Ok(()) => values.push(value),
            Err(error) => return Err((error, value)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::Status;

    #[test]
    fn value_is_held_only_if_it_is_used() {
        let (holds, owned) = (Arc::new(Holds::default()), Arc::new(7));
        let mut seen = 0;
        let see = |address: *mut c_void| {
            // SAFETY: the address of the value below.
            seen = **unsafe { &*address.cast::<Arc<i32>>() };
            Ok(())
        };
        assert!(holds.add(Box::new(owned.clone()), see).is_ok());
        assert_eq!((seen, Arc::strong_count(&owned)), (7, 2));
        let error = Error::new(Status::INVALID_ARGUMENT, "test", "refused");
        let (found, value) = holds.add(Box::new(owned.clone()), |_| Err(error.clone())).unwrap_err();
        assert_eq!((found, Arc::strong_count(&owned)), (error, 3));
        drop(value);
        drop(holds);
        assert_eq!(Arc::strong_count(&owned), 1);
    }
}
