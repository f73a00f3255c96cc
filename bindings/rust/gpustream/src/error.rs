// SPDX-License-Identifier: Apache-2.0
//! What went wrong: status, native code, function and text of a call.

use std::fmt::{self, Display, Formatter};
use std::ops::Deref;

use gpustream_sys::{self as sys, LoadError, MissingSymbol, gs_error_info_t, gs_status_t};

use crate::call::array_text;
use crate::device::Backend;
use crate::status::{Reason, Status};

/// The result of every call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call. Its parts are the fields of [`ErrorDetail`]: `error.status`, `error.message` and so on.
///
/// Where the library or one of its functions is missing, [`std::error::Error::source`] is a [`sys::LoadError`] or a
/// [`sys::MissingSymbol`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    // One word, so that `Result<()>` is one as well.
    detail: Box<ErrorDetail>,
}

/// The parts of an [`Error`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorDetail {
    /// What the call returned.
    pub status: Status,
    /// Beside [`Status::UNAVAILABLE`]: why.
    pub reason: Option<Reason>,
    /// Backend whose call failed, if one was involved.
    pub backend: Option<Backend>,
    /// The driver's code (a `CUresult`), or errno beside [`Status::SYSTEM`]; 0 if none.
    pub native: i32,
    /// Whether the device is unusable from now on in this process.
    pub sticky: bool,
    /// The C function that failed; empty if it is not known.
    pub function: String,
    /// The driver's or system's function that failed; empty if none.
    pub native_function: String,
    /// What happened, with the values involved.
    pub message: String,
    /// Where a sticky failure was first seen; empty otherwise.
    pub origin: String,
    source: Option<Source>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Load(LoadError),
    Symbol(MissingSymbol),
}

impl Deref for Error {
    type Target = ErrorDetail;

    fn deref(&self) -> &ErrorDetail {
        &self.detail
    }
}

impl Error {
    /// An error of this crate's or of a function given to the library; `function` says which.
    pub fn new(status: Status, function: &str, message: &str) -> Self {
        Self::with(status, None, function, message.into(), None)
    }

    fn with(status: Status, reason: Option<Reason>, function: &str, message: String, source: Option<Source>) -> Self {
        let function = function.to_owned();
        let (native_function, origin) = (String::new(), String::new());
        let (backend, native, sticky) = (None, 0, false);
        let detail =
            ErrorDetail { status, reason, backend, native, sticky, function, native_function, message, origin, source };
        Self { detail: Box::new(detail) }
    }

    #[cold]
    pub(crate) fn not_loaded(error: LoadError) -> Self {
        let (status, reason) = match error {
            LoadError::WrongAbi { .. } => (Status::NOT_SUPPORTED, None),
            LoadError::Already { .. } => (Status::NOT_PERMITTED, None),
            _ => (Status::UNAVAILABLE, Some(Reason::NoLibrary)),
        };
        Self::with(status, reason, "", error.to_string(), Some(Source::Load(error)))
    }

    #[cold]
    pub(crate) fn missing(symbol: MissingSymbol) -> Self {
        let source = Some(Source::Symbol(symbol));
        Self::with(Status::UNAVAILABLE, Some(Reason::NoSymbol), symbol.name(), symbol.to_string(), source)
    }

    /// The calling thread's last failure, which gave this status.
    #[cold]
    pub(crate) fn last(status: gs_status_t) -> Self {
        let mut info = gs_error_info_t::default();
        // SAFETY: the struct is a local variable that says its size.
        let told = sys::api().is_ok_and(|api| unsafe { api.gs_last_error(&raw mut info) } == Ok(sys::GS_OK));
        Self::from_info(Status(status), told.then_some(&info))
    }

    /// A status that came without a record: to another thread, or "not ready", which leaves none.
    #[cold]
    pub(crate) fn bare(status: Status, function: &str) -> Self {
        Self::with(status, None, function, status.message().to_owned(), None)
    }

    fn from_info(status: Status, info: Option<&gs_error_info_t>) -> Self {
        // A record of something else is none of ours.
        let Some(info) = info.filter(|info| info.status == status.0) else {
            return Self::bare(status, "");
        };
        let function = array_text(&info.function);
        let message = array_text(&info.message);
        let mut error = Self::with(status, Reason::from_number(info.reason), &function, message, None);
        error.detail.backend = Backend::from_number(info.backend);
        error.detail.native = info.native_code;
        error.detail.sticky = info.sticky != 0;
        error.detail.native_function = array_text(&info.native_function);
        error.detail.origin = array_text(&info.origin);
        error
    }
}

impl Display for Error {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if !self.function.is_empty() {
            write!(out, "{}: ", self.function)?;
        }
        write!(out, "{} ({:?}", self.message, self.status)?;
        if self.native != 0 {
            write!(out, ", {} {}", self.native_function, self.native)?;
        }
        out.write_str(")")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self.detail.source.as_ref()? {
            Source::Load(error) => Some(error),
            Source::Symbol(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::c_char;

    use super::*;

    fn info(status: i32) -> gs_error_info_t {
        let mut info = gs_error_info_t { status, native_code: 700, sticky: 1, backend: 2, ..Default::default() };
        let write = |to: &mut [c_char], from: &str| {
            to.iter_mut().zip(from.bytes()).for_each(|(to, from)| *to = from as c_char);
        };
        write(&mut info.function, "gs_event_query");
        write(&mut info.native_function, "cuEventQuery");
        write(&mut info.message, "an illegal address");
        write(&mut info.origin, "first seen elsewhere");
        info
    }

    #[test]
    fn record_of_the_same_status_is_taken() {
        let error = Error::from_info(Status::STICKY, Some(&info(51)));
        assert_eq!((error.status, error.native, error.sticky), (Status::STICKY, 700, true));
        assert_eq!((error.backend, error.origin.as_str()), (Some(Backend::Cuda), "first seen elsewhere"));
        assert_eq!(error.to_string(), "gs_event_query: an illegal address (GS_ERROR_STICKY, cuEventQuery 700)");
    }

    #[test]
    #[cfg_attr(miri, ignore = "asks the C library for the general text")]
    fn record_of_another_status_is_not() {
        let error = Error::from_info(Status::SCOPE, Some(&info(51)));
        assert_eq!((error.status, error.native, error.function.as_str()), (Status::SCOPE, 0, ""));
    }

    #[test]
    fn causes_of_a_missing_library_are_typed() {
        use std::error::Error as _;
        let error = Error::not_loaded(LoadError::WrongAbi { path: "x".into(), found: 7 });
        assert_eq!(error.status, Status::NOT_SUPPORTED);
        assert!(matches!(error.source().unwrap().downcast_ref(), Some(LoadError::WrongAbi { found: 7, .. })));
        let error = Error::not_loaded(LoadError::NotFound { attempts: vec![] });
        assert_eq!((error.status, error.reason), (Status::UNAVAILABLE, Some(Reason::NoLibrary)));
    }

    #[test]
    fn result_is_one_word() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
