// SPDX-License-Identifier: Apache-2.0
//! Owners of references that the library counts.

/// `try_clone`, `Clone` and `Drop` of a type that owns one reference. The macro gets the type's name in texts, calls that add
/// and release a reference, and the owner of an added reference.
macro_rules! counted {
    (
        $owner:ident, $what:literal,
        retain: |$api:ident, $raw:ident| $retain:expr,
        destroy: |$end:ident, $last:ident| $destroy:expr,
        same: |$this:ident| $same:expr $(,)?
    ) => {
        impl $owner {
            /// Adds a reference, as [`clone`](Self::clone), and reports a failure.
            pub fn try_clone(&self) -> crate::error::Result<Self> {
                let ($api, $raw) = (crate::call::api()?, self.as_handle());
                // SAFETY: takes a handle.
                crate::call::check(unsafe { $retain })?;
                let $this = self;
                Ok($same)
            }
        }

        impl Clone for $owner {
            #[doc = concat!("Adds a reference. Where no reference of this ", $what, " counts any more, because its handle")]
            /// is stale or the process is a forked child, the clone is in the same state as the original.
            ///
            /// # Panics
            ///
            /// If the library cannot add the reference because host memory is exhausted;
            /// [`try_clone`](Self::try_clone) reports that.
            fn clone(&self) -> Self {
                let $raw = self.as_handle();
                // SAFETY: takes a handle.
                crate::call::add_reference(|$api| unsafe { $retain });
                let $this = self;
                $same
            }
        }

        impl Drop for $owner {
            #[inline]
            fn drop(&mut self) {
                // SAFETY: takes a handle.
                crate::call::give_back(self.as_handle(), |$end, $last| unsafe { $destroy });
            }
        }
    };
}
pub(crate) use counted;
