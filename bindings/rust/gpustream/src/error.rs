// SPDX-License-Identifier: Apache-2.0
//! Failed calls: status, native code, function and text.

use std::fmt::{self, Display, Formatter};

use gpustream_sys::{self as sys, LoadError, MissingSymbol, gs_error_info_t, gs_event_t, gs_status_t, gs_stream_t};

use crate::backend::Backend;
use crate::device::Device;
use crate::status::{Reason, Status};
use crate::text::array_text;

/// The result of every call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call.
///
/// Where the library or one of its functions is missing, [`std::error::Error::source`] is a [`sys::LoadError`] or a
/// [`sys::MissingSymbol`]. Two errors are equal if all their parts are. `Debug` is `Display`, so that an error which `main`
/// returns reads as a sentence.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    // Boxed so that `Error` and `Result<()>` are one word.
    detail: Box<Detail>,
}

#[derive(Clone, PartialEq, Eq)]
struct Detail {
    status: Status,
    reason: Option<Reason>,
    backend: Option<Backend>,
    native: i32,
    sticky: bool,
    function: String,
    native_function: String,
    message: String,
    origin: String,
    // Handles as numbers, since an error may go to other threads.
    stream: usize,
    event: usize,
    device: Option<Device>,
    source: Option<Source>,
}

#[derive(Clone, PartialEq, Eq)]
enum Source {
    Load(LoadError),
    Symbol(MissingSymbol),
}

impl Error {
    /// An error of the caller's own, for functions given to [`call_on_init`](crate::call_on_init). `function` names the
    /// function that failed, `message` says what happened.
    pub fn new(status: Status, function: &str, message: &str) -> Self {
        Self::with(status, None, function, message.into(), None)
    }

    /// The status that the call returned.
    #[inline]
    pub fn status(&self) -> Status {
        self.detail.status
    }

    /// With [`Status::UNAVAILABLE`]: why. Otherwise `None`.
    pub fn reason(&self) -> Option<Reason> {
        self.detail.reason
    }

    /// The backend whose call failed, if one was involved.
    pub fn backend(&self) -> Option<Backend> {
        self.detail.backend
    }

    /// The driver's code (a `CUresult` on CUDA), or errno with [`Status::SYSTEM`]; 0 if there is none.
    pub fn native(&self) -> i32 {
        self.detail.native
    }

    /// Whether the failure left the device unusable in this process.
    pub fn is_sticky(&self) -> bool {
        self.detail.sticky
    }

    /// The C function that failed; empty if it is not known.
    pub fn function(&self) -> &str {
        &self.detail.function
    }

    /// The function of the driver or the system that failed; empty if there is none.
    pub fn native_function(&self) -> &str {
        &self.detail.native_function
    }

    /// What happened, with the values involved.
    pub fn message(&self) -> &str {
        &self.detail.message
    }

    /// Where a sticky failure was first seen; empty for others.
    pub fn origin(&self) -> &str {
        &self.detail.origin
    }

    /// The stream that the failed call was given, as [`StreamRef::as_handle`](crate::StreamRef::as_handle) has it; `None`
    /// if there was none. It may have ended since: to be compared and printed.
    pub fn stream_handle(&self) -> Option<gs_stream_t> {
        (self.detail.stream != 0).then(|| std::ptr::without_provenance_mut(self.detail.stream))
    }

    /// The event that the failed call was given, as [`stream_handle`](Self::stream_handle).
    pub fn event_handle(&self) -> Option<gs_event_t> {
        (self.detail.event != 0).then(|| std::ptr::without_provenance_mut(self.detail.event))
    }

    /// The device that the failed call was given, else that of its stream or event, if it is known.
    pub fn device(&self) -> Option<Device> {
        self.detail.device
    }

    fn with(status: Status, reason: Option<Reason>, function: &str, message: String, source: Option<Source>) -> Self {
        let function = function.to_owned();
        let (native_function, origin) = (String::new(), String::new());
        let detail = Detail {
            status,
            reason,
            backend: None,
            native: 0,
            sticky: status == Status::STICKY,
            function,
            native_function,
            message,
            origin,
            stream: 0,
            event: 0,
            device: None,
            source,
        };
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

    /// The calling thread's last failure, if its record has this status; otherwise the status alone.
    #[cold]
    pub(crate) fn last(status: gs_status_t) -> Self {
        let mut info = gs_error_info_t::default();
        // SAFETY: the struct is a local variable that states its size.
        let filled = sys::api().is_ok_and(|api| unsafe { api.gs_last_error(&raw mut info) } == Ok(sys::GS_OK));
        Self::from_info(Status(status), filled.then_some(&info))
    }

    /// A status without a record: the failure happened on another thread.
    #[cold]
    pub(crate) fn bare(status: Status, function: &str) -> Self {
        Self::with(status, None, function, status.message().to_owned(), None)
    }

    /// A failure that the C library has no record of.
    pub(crate) fn here(status: Status, native: i32, message: String) -> Self {
        let mut error = Self::with(status, None, "", message, None);
        error.detail.native = native;
        error
    }

    fn from_info(status: Status, info: Option<&gs_error_info_t>) -> Self {
        // The record of an earlier failure says nothing about this one.
        let Some(info) = info.filter(|info| info.status == status.0) else {
            return Self::bare(status, "");
        };
        let function = array_text(&info.function);
        let message = array_text(&info.message);
        let mut error = Self::with(status, Reason::beside_error(info.reason), &function, message, None);
        error.detail.backend = Backend::from_number(info.backend);
        error.detail.native = info.native_code;
        error.detail.sticky = info.sticky != 0;
        error.detail.native_function = array_text(&info.native_function);
        error.detail.origin = array_text(&info.origin);
        error.detail.stream = info.stream.addr();
        error.detail.event = info.event.addr();
        error.detail.device = (info.device >= 0).then(|| Device::from_raw(info.device));
        error
    }
}

impl Display for Error {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let detail = &self.detail;
        if !detail.function.is_empty() {
            write!(out, "{}: ", detail.function)?;
        }
        // Messages begin with the function too.
        let named = detail.message.strip_prefix(detail.function.as_str()).and_then(|rest| rest.strip_prefix(": "));
        write!(out, "{} ({:?}", named.unwrap_or(&detail.message), detail.status)?;
        match (detail.native, detail.native_function.as_str()) {
            (0, _) => {}
            (native, "") => write!(out, ", {native}")?,
            (native, function) => write!(out, ", {function} {native}")?,
        }
        out.write_str(")")
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, out)
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
        let mut info =
            gs_error_info_t { status, native_code: 700, sticky: 1, backend: 2, device: 1, ..Default::default() };
        info.stream = std::ptr::without_provenance_mut(0x1234);
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
        assert_eq!((error.status(), error.native(), error.is_sticky()), (Status::STICKY, 700, true));
        assert_eq!((error.backend(), error.origin()), (Some(Backend::Cuda), "first seen elsewhere"));
        assert_eq!(error.stream_handle().map(<*mut gpustream_sys::gs_stream>::addr), Some(0x1234));
        assert_eq!((error.event_handle(), error.device()), (None, Some(Device::new(1))));
        assert_eq!(error.to_string(), "gs_event_query: an illegal address (GS_ERROR_STICKY, cuEventQuery 700)");
    }

    #[test]
    #[cfg_attr(miri, ignore = "asks the C library for the general text")]
    fn record_of_another_status_is_not() {
        let error = Error::from_info(Status::SCOPE, Some(&info(51)));
        assert_eq!((error.status(), error.native(), error.function()), (Status::SCOPE, 0, ""));
        assert_eq!((error.stream_handle(), error.device()), (None, None));
    }

    #[test]
    fn causes_of_a_missing_library_are_typed() {
        use std::error::Error as _;
        let error = Error::not_loaded(LoadError::WrongAbi { path: "x".into(), found: 7 });
        assert_eq!(error.status(), Status::NOT_SUPPORTED);
        assert!(matches!(error.source().unwrap().downcast_ref(), Some(LoadError::WrongAbi { found: 7, .. })));
        let error = Error::not_loaded(LoadError::NotFound { attempts: vec![] });
        assert_eq!((error.status(), error.reason()), (Status::UNAVAILABLE, Some(Reason::NoLibrary)));
    }

    #[test]
    fn result_is_one_word() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
