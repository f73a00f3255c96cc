// SPDX-License-Identifier: Apache-2.0
//! Statuses and reasons. Newer libraries may return numbers that are not listed here.

use std::fmt::{self, Debug, Display, Formatter};

use gpustream_sys as sys;

use crate::numbers::open;
use crate::text::static_text;

/// What a call of the C library returned: a pinned number. Numbers are grouped in families of ten, and newer libraries
/// may return others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Status(pub i32);

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $constant:ident;)*) => {
        /// The header's statuses.
        impl Status {
            $($(#[$doc])* pub const $name: Self = Self(sys::$constant);)*
        }

        /// Names that do not need the library.
        const KNOWN: &[(i32, &str)] = &[$((sys::$constant, stringify!($constant)),)*];
    };
}

sys::for_each_enumerator!(status, statuses);

impl Status {
    /// The C name, such as `GS_ERROR_INVALID_HANDLE`. Without a library it is `"unknown status"` for a number that this
    /// crate does not know. Never fails, and works in a forked child.
    pub fn name(self) -> &'static str {
        let known = || KNOWN.iter().find(|(number, _)| *number == self.0).map_or("unknown status", |(_, name)| *name);
        let Ok(api) = sys::api() else { return known() };
        // SAFETY: takes any number.
        unsafe { api.gs_status_name(self.0) }.map_or_else(|_| known(), static_text)
    }

    /// A phrase that says what the status means in general; without a library, its name. Never fails.
    pub fn message(self) -> &'static str {
        let Ok(api) = sys::api() else { return self.name() };
        // SAFETY: takes any number.
        unsafe { api.gs_status_message(self.0) }.map_or_else(|_| self.name(), static_text)
    }
}

impl Debug for Status {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        // From the table alone: debug output calls no library.
        match KNOWN.iter().find(|(number, _)| number == &self.0) {
            Some((_, name)) => write!(out, "{name}"),
            None => write!(out, "Status({})", self.0),
        }
    }
}

impl Display for Status {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

sys::for_each_enumerator! {
    reason, open,
    /// Why something is unavailable; comes with [`Status::UNAVAILABLE`]. Where libgpustream itself is missing, lacks a
    /// function or could not be loaded, the reason is the same as for a driver.
    Reason
}

impl Reason {
    /// `None` beside a status that has no reason.
    pub(crate) fn beside_error(number: i32) -> Option<Self> {
        (number != sys::GS_REASON_NONE).then(|| Self::from_number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_needs_no_library() {
        assert_eq!(format!("{:?}", Status::INVALID_HANDLE), "GS_ERROR_INVALID_HANDLE");
        assert_eq!(format!("{:?}", Status(77)), "Status(77)");
    }

    #[test]
    fn reasons() {
        assert_eq!(Reason::beside_error(0), None);
        assert_eq!(Reason::beside_error(5), Some(Reason::NoDevice));
        assert_eq!(Reason::beside_error(99), Some(Reason::Other(99)));
    }
}
