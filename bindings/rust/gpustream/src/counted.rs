// SPDX-License-Identifier: Apache-2.0
//! What owners of handles have in common.

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

/// A type with a handle that may be used on every thread.
macro_rules! of_all_threads {
    ($owner:ident) => {
        // SAFETY: the handle is a number; every function of the library may be called from every thread at the same time.
        unsafe impl Send for $owner {}
        // SAFETY: as above.
        unsafe impl Sync for $owner {}
    };
}
pub(crate) use of_all_threads;

/// What a type has that owns a handle, in its field `raw`: the handle comes and goes, and the owner may be used on every thread.
macro_rules! handle {
    ($owner:ident, $raw:ty, $destroy:literal) => {
        $crate::counted::of_all_threads! { $owner }
        $crate::counted::given_away! { $owner, $raw, $destroy, |handle| Self { raw: handle } }

        impl $owner {
            /// The C library's handle, for the functions in [`sys`](crate::sys). Borrowed.
            #[inline]
            pub fn as_handle(&self) -> $raw {
                self.raw
            }
        }
    };
}
pub(crate) use handle;

/// The ways of an owner's handle from C and to C.
macro_rules! given_away {
    ($owner:ident, $raw:ty, $destroy:literal, |$handle:ident| $made:expr) => {
        impl $owner {
            /// Takes over a handle of the C library, from C or another language.
            ///
            /// # Safety
            ///
            /// The caller owns the handle, or a reference to it, and gives that away.
            pub unsafe fn from_handle($handle: $raw) -> Self {
                $made
            }

            /// Returns the handle, or the reference to it. The caller owns it then, and passes it to
            #[doc = concat!("`", $destroy, "`.")]
            pub fn into_handle(self) -> $raw {
                std::mem::ManuallyDrop::new(self).as_handle()
            }
        }
    };
}
pub(crate) use given_away;

/// `Debug` of a type that shows its handle alone.
macro_rules! shown_by_handle {
    ($owner:ident) => {
        impl std::fmt::Debug for $owner {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.debug_struct(stringify!($owner)).field("handle", &self.raw).finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use shown_by_handle;

/// Dereferences an owner, or a borrower, to what has the operations.
macro_rules! derefs {
    ($owner:ty, $field:ident: $target:ty) => {
        impl std::ops::Deref for $owner {
            type Target = $target;

            #[inline]
            fn deref(&self) -> &$target {
                &self.$field
            }
        }

        impl AsRef<$target> for $owner {
            fn as_ref(&self) -> &$target {
                self
            }
        }
    };
}
pub(crate) use derefs;
